import { Box, Text } from "@mantine/core";
import Link from "next/link";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Unknown } from "@/app/_components/values/unknown";
import { formatBytes, formatCount } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { JobState, JobStatusLine } from "../../_components/training/job-status";
import { howWords, shortModel } from "../../_components/training/words";
import { datasetHref } from "../../datasets/_components/view";
import { LossSparkline } from "./loss-sparkline";
import { Took } from "./took";

type Options = { projectId: string; datasetName: (id: string) => string | undefined };

export const columnsOf = ({ projectId, datasetName }: Options): ListColumn<TrainingJob>[] => [
  {
    id: "name",
    header: "Run",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {original.name}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" title={original.baseModel.id} visibleFrom="sm">
          {shortModel(original.baseModel.id)} · {howWords(original)}
        </Text>
        <Box hiddenFrom="sm">
          <JobStatusLine job={original} />
        </Box>
      </>
    ),
  },
  {
    id: "status",
    header: "Status",
    meta: { width: "17rem", roomy: true },
    cell: ({ row }) => <JobState job={row.original} />,
  },
  {
    id: "loss",
    header: "Loss",
    meta: { width: "9.5rem", roomy: true },
    cell: ({ row }) => <LossSparkline projectId={projectId} job={row.original} />,
  },
  {
    id: "dataset",
    header: "Dataset",
    meta: { width: "13rem", roomy: true, wide: true },
    cell: ({ row: { original } }) => (
      <>
        <Link href={datasetHref(projectId, original.datasetId)} className="clip" style={{ display: "block" }}>
          {datasetName(original.datasetId) ?? original.datasetId}
        </Link>
        <Text size="xs" c="dimmed" component="div">
          Version {formatCount(original.datasetVersion)} · {formatCount(original.manifest.rows)} Examples
        </Text>
      </>
    ),
  },
  {
    id: "took",
    header: "Duration",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Took job={row.original} />,
  },
  {
    id: "disk",
    header: "Disk",
    meta: { width: "6rem", align: "end", roomy: true, wide: true },
    cell: ({ row }) => <span className="tabular">{formatBytes(row.original.diskBytes)}</span>,
  },
  {
    id: "started",
    header: "Started",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => (original.startedAt === null ? <Unknown /> : <Ago at={original.startedAt} />),
  },
];
