import { Box, Text } from "@mantine/core";
import Link from "next/link";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Unknown } from "@/app/_components/values/unknown";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { DeploymentState } from "../../_components/serving/status";
import { backendWords } from "../../_components/serving/words";
import { checkpointHref } from "../../_components/training/hrefs";
import { shortModel } from "../../_components/training/words";

type Options = {
  projectId: string;
  checkpointName: (id: string) => string | undefined;
  /** All deployments have the same name, so each is labelled by what it serves. */
  versions?: boolean;
};

/** Returns since when a deployment has been in its current state: its end, its start, or the request. */
const sinceOf = ({ endedAt, startedAt, createdAt }: Deployment) => endedAt ?? startedAt ?? createdAt;

export const servedWords = (
  { checkpointId, baseModel }: Pick<Deployment, "checkpointId" | "baseModel">,
  checkpointName: Options["checkpointName"],
) =>
  checkpointId === null
    ? shortModel(baseModel?.id ?? "A base model")
    : (checkpointName(checkpointId) ?? "A checkpoint");

export const columnsOf = ({ projectId, checkpointName, versions = false }: Options): ListColumn<Deployment>[] => [
  {
    id: "name",
    header: versions ? "Version" : "Name",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip">
          {versions ? servedWords(original, checkpointName) : original.model}
        </Text>
        {versions ? null : (
          <Text size="xs" c="dimmed" component="div" className="clip" visibleFrom="sm">
            {servedWords(original, checkpointName)}
          </Text>
        )}
        <Box hiddenFrom="sm" fz="xs">
          <DeploymentState deployment={original} />
        </Box>
      </>
    ),
  },
  {
    id: "status",
    header: "Status",
    meta: { width: "18rem", roomy: true },
    cell: ({ row }) => <DeploymentState deployment={row.original} />,
  },
  {
    id: "checkpoint",
    header: "Serves",
    meta: { width: "14rem", roomy: true, wide: true },
    cell: ({ row: { original } }) =>
      original.checkpointId === null ? (
        <span className="mono clip">{original.baseModel?.id}</span>
      ) : (
        <Link href={checkpointHref(projectId, original.checkpointId)} className="clip" style={{ display: "block" }}>
          {servedWords(original, checkpointName)}
        </Link>
      ),
  },
  {
    id: "backend",
    header: "Served with",
    meta: { width: "8rem", roomy: true },
    cell: ({ row: { original } }) =>
      original.backend === null ? <Unknown why="Not chosen yet" /> : backendWords(original.backend),
  },
  {
    id: "form",
    header: "Format",
    meta: { width: "7rem", roomy: true },
    cell: ({ row: { original } }) =>
      original.quantization === null ? "As trained" : <span className="mono">{original.quantization}</span>,
  },
  {
    id: "since",
    header: "Since",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={sinceOf(row.original)} />,
  },
];
