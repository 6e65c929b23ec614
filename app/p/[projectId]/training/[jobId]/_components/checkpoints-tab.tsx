"use client";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn, ListQuery } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageSection } from "@/app/_components/layout/page-body";
import { Ago } from "@/app/_components/values/ago";
import { formatBytes, formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { Artifacts } from "../../../_components/training/artifacts";
import { formatMetric } from "../../../_components/training/charts/metric-words";
import { CheckpointMarks } from "../../../_components/training/checkpoint-marks";
import { checkpointHref } from "../../../_components/training/hrefs";
import { isMoving } from "../../../_components/training/words";

type Job = RouterOutputs["trainingJobs"]["get"]["job"];
type Props = {
  projectId: string;
  job: Job;
  checkpoints: ListQuery & { data: { checkpoints: Checkpoint[] } | undefined };
};

const COLUMNS: ListColumn<Checkpoint>[] = [
  {
    id: "step",
    header: "Step",
    meta: { link: true },
    cell: ({ row }) => `Step ${formatCount(row.original.stepNumber)}`,
  },
  { id: "state", header: "State", cell: ({ row }) => <CheckpointMarks checkpoint={row.original} /> },
  {
    id: "train",
    header: "Training loss",
    meta: { align: "end", roomy: true },
    cell: ({ row: { original } }) => formatMetric(original.metrics.train_loss),
  },
  {
    id: "eval",
    header: "Evaluation loss",
    meta: { align: "end" },
    cell: ({ row: { original } }) => formatMetric(original.metrics.eval_loss),
  },
  {
    id: "size",
    header: "Size",
    meta: { align: "end", roomy: true },
    cell: ({ row }) => formatBytes(row.original.bytes),
  },
  {
    id: "saved",
    header: "Saved",
    meta: { align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];

/** A run's checkpoints, newest first, and what was built from them. */
export function CheckpointsTab({ projectId, job, checkpoints: query }: Props) {
  const rows = (query.data?.checkpoints ?? []).toSorted((a, b) => b.stepNumber - a.stepNumber || b.attempt - a.attempt);
  return (
    <>
      <DataList
        list={query}
        name="Checkpoints of the run"
        what="checkpoint"
        embedded
        columns={COLUMNS}
        rows={rows}
        rowId={({ id }) => id}
        rowName={({ stepNumber }) => `Step ${formatCount(stepNumber)}`}
        rowHref={({ id }) => checkpointHref(projectId, id)}
        minWidth={340}
        dimmed={({ state }) => state === "pruned"}
        empty={
          <EmptyState icon={IconDeviceFloppy} title="No checkpoints yet">
            {isMoving(job)
              ? "The first is saved with the first evaluation, and the last at the end."
              : "The run ended before it saved one."}
          </EmptyState>
        }
      />
      {job.artifacts.length === 0 ? null : (
        <PageSection title="Built formats" flush>
          <Artifacts artifacts={job.artifacts} />
        </PageSection>
      )}
    </>
  );
}
