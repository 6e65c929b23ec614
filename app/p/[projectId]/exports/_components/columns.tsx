import { Box, Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import { formatWords } from "../../_components/serving/words";
import { ExportState } from "./export-state";

/** What is published, in words. */
export const sourceWords = (
  { checkpointId, hubModel }: Pick<ModelExport, "checkpointId" | "hubModel">,
  checkpointName: (id: string) => string | undefined,
) => (checkpointId === null ? (hubModel?.id ?? "A model") : (checkpointName(checkpointId) ?? "A checkpoint"));

type Options = { checkpointName: (id: string) => string | undefined };

export const columnsOf = ({ checkpointName }: Options): ListColumn<ModelExport>[] => [
  {
    id: "repo",
    header: "Repository",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip">
          {original.destination.repoId}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" visibleFrom="sm">
          {sourceWords(original, checkpointName)}
        </Text>
        <Box hiddenFrom="sm" fz="xs">
          <ExportState of={original} />
        </Box>
      </>
    ),
  },
  {
    id: "status",
    header: "Status",
    meta: { width: "17rem", roomy: true },
    cell: ({ row }) => <ExportState of={row.original} />,
  },
  {
    id: "format",
    header: "Format",
    meta: { width: "10rem", roomy: true, aside: true },
    cell: ({ row }) => formatWords(row.original),
  },
  {
    id: "visibility",
    header: "Visible to",
    meta: { width: "6.5rem", roomy: true, wide: true, aside: true },
    cell: ({ row }) => (row.original.destination.private ? "Its owner" : "Anyone"),
  },
  {
    id: "requested",
    header: "Requested",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
