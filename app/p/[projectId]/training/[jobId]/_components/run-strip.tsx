"use client";
import { Progress } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCompact, formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { useDatasets } from "../../../_components/datasets/use-datasets";
import { jobHref } from "../../../_components/training/hrefs";
import { etaWords } from "../../../_components/training/job-status";
import { howWords, isMoving, phaseWords, STOP_REASONS } from "../../../_components/training/words";
import { datasetHref } from "../../../datasets/_components/view";
import { Took } from "../../_components/took";
import classes from "./run-page.module.css";

type Props = { projectId: string; job: TrainingJob };

/** A run's progress and facts, below warnings about its trainer and about deleted training data. */
export function RunStrip({ projectId, job }: Props) {
  const datasets = useDatasets(projectId);
  const dataset = datasets.data?.find(({ id }) => id === job.datasetId);
  return (
    <>
      {job.staleSince === null ? null : (
        <div className={classes.banner} role="status">
          <Dot color="var(--severity-medium)">
            <span>
              The trainer became unreachable <Ago at={job.staleSince} />. The run may be continuing there; its progress
              appears here once the trainer is back.
            </span>
          </Dot>
        </div>
      )}
      {job.taintedAt === null ? null : (
        <div className={classes.banner} role="status">
          <Dot color="var(--severity-high)">
            <span>
              {plural(job.manifest.rowsErased + (job.validationManifest?.rowsErased ?? 0), "Example")} that it was
              trained on came from a user or conversation that was deleted <Ago at={job.taintedAt} />. Train again
              without them before you use its checkpoints.
            </span>
          </Dot>
        </div>
      )}
      <div className={classes.strip}>
        {isMoving(job) || job.status === "paused" ? <Running job={job} /> : null}
        <p className={classes.facts}>
          <span className="mono">{job.baseModel.id}</span>
          <span>{howWords(job)}</span>
          <span>
            <Link href={datasetHref(projectId, job.datasetId)}>{dataset?.name ?? "Dataset"}</Link>, version{" "}
            {formatCount(job.datasetVersion)}, {plural(job.manifest.rows, "Example")}
          </span>
          {job.stopReason === null ? null : <span>{STOP_REASONS[job.stopReason]}</span>}
          {job.startedAt === null ? (
            <span>
              Requested <Ago at={job.createdAt} />
            </span>
          ) : (
            <span>
              Started <Ago at={job.startedAt} />, {job.finishedAt === null ? "running for" : "took"} <Took job={job} />
            </span>
          )}
          {job.attempt > 1 ? <span>Attempt {formatCount(job.attempt)}</span> : null}
          {job.clonedFromId === null ? null : (
            <span>
              Cloned from <Link href={jobHref(projectId, job.clonedFromId)}>another run</Link>
            </span>
          )}
          {job.canResume || job.resumeBlockedReason === null || job.status !== "failed" ? null : (
            <span>Cannot be resumed: {job.resumeBlockedReason}</span>
          )}
        </p>
      </div>
    </>
  );
}

/** The phase with its progress; the bar is only for the training phase, so that 100% is not mistaken for the end. */
function Running({ job: { status, phase, progress } }: Pick<Props, "job">) {
  const waits =
    { queued: "Waiting for the trainer", validating: "Validating", paused: "Paused" }[status as string] ?? null;
  const rest = progress === null ? [] : partsOf(progress, status);
  return (
    <div role="status" aria-label="Progress">
      <div className="tabular" style={{ fontSize: "var(--mantine-font-size-sm)" }}>
        <strong>{waits ?? (phase === null ? "Starting" : phaseWords(phase))}</strong>
        {rest.length === 0 ? "" : ` · ${rest.join(" · ")}`}
      </div>
      {progress?.percent == null ? null : (
        <Progress size="sm" mt={6} value={progress.percent} aria-label="Training progress" />
      )}
    </div>
  );
}

function partsOf(progress: NonNullable<TrainingJob["progress"]>, status: TrainingJob["status"]): string[] {
  const { step, totalSteps, epoch, percent, etaSeconds, tokensPerSecond } = progress;
  return [
    totalSteps === null ? `step ${formatCount(step)}` : `step ${formatCount(step)} of ${formatCount(totalSteps)}`,
    ...(percent === null ? [] : [formatPercent(percent / 100)]),
    ...(epoch === null ? [] : [`epoch ${epoch.toFixed(2)}`]),
    ...(etaSeconds === null || status === "paused" ? [] : [etaWords(etaSeconds)]),
    ...(tokensPerSecond === null || status === "paused"
      ? []
      : [`${formatCompact(Math.round(tokensPerSecond))} tokens/s`]),
  ];
}
