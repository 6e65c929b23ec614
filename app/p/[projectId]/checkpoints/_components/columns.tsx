import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatBytes, formatCount } from "@/app/_lib/format";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { formatMetric } from "../../_components/training/charts/metric-words";
import { CheckpointMarks } from "../../_components/training/checkpoint-marks";
import { shortModel } from "../../_components/training/words";

export const KINDS: Record<Checkpoint["kind"], string> = { adapter: "Adapter", full: "Full model" };

/** The loss by which checkpoints are compared: on held-out Examples or, if none were held out, the training loss. */
export const lossOf = ({ metrics }: Checkpoint) => metrics.eval_loss ?? metrics.train_loss ?? null;

export const COLUMNS: ListColumn<Checkpoint>[] = [
  {
    id: "name",
    header: "Checkpoint",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {original.jobName}, step {formatCount(original.stepNumber)}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" title={original.baseModel.id} visibleFrom="sm">
          {shortModel(original.baseModel.id)}
        </Text>
        <Text size="xs" component="div" hiddenFrom="sm">
          <CheckpointMarks checkpoint={original} />
        </Text>
      </>
    ),
  },
  {
    id: "state",
    header: "State",
    meta: { width: "15rem", roomy: true },
    cell: ({ row }) => <CheckpointMarks checkpoint={row.original} />,
  },
  {
    id: "kind",
    header: "Kind",
    meta: { width: "6.5rem", roomy: true, aside: true },
    cell: ({ row }) => KINDS[row.original.kind],
  },
  {
    id: "loss",
    header: "Loss",
    meta: { width: "5.5rem", align: "end", roomy: true },
    cell: ({ row }) => <span className="tabular">{formatMetric(lossOf(row.original))}</span>,
  },
  {
    id: "size",
    header: "Size",
    meta: { width: "6rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) => <span className="tabular">{formatBytes(row.original.bytes)}</span>,
  },
  {
    id: "saved",
    header: "Saved",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
