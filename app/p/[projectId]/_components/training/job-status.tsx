import { Progress, Text } from "@mantine/core";
import { Dot } from "@/app/_components/values/dot";
import { formatCount } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { isMoving, isUnfinished, phaseWords, STATUS } from "./words";

export function JobStatus({ job }: { job: Pick<TrainingJob, "status"> }) {
  const { word, color, hollow } = STATUS[job.status];
  return (
    <Dot color={color} hollow={hollow ?? false}>
      {word}
    </Dot>
  );
}

/** Seconds per minute, and minutes per hour. */
const MINUTE = 60;

/** `40 s`, `12 min`, `1 h 5 min`: no more digits than an estimate deserves. */
export function approximateDuration(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / MINUTE);
  return minutes < MINUTE ? `${minutes} min` : `${Math.floor(minutes / MINUTE)} h ${minutes % MINUTE} min`;
}

export const etaWords = (seconds: number) => `${approximateDuration(seconds)} left`;

/** `Training · step 120 of 900 · 2 min left`; what is unknown is left out, and a paused job has no time left. */
function progressWords({ status, phase, progress }: Pick<TrainingJob, "status" | "phase" | "progress">): string {
  const parts = phase === null || status === "paused" ? [] : [phaseWords(phase)];
  if (progress !== null) {
    parts.push(
      progress.totalSteps === null
        ? `step ${formatCount(progress.step)}`
        : `step ${formatCount(progress.step)} of ${formatCount(progress.totalSteps)}`,
    );
    if (progress.etaSeconds !== null && status !== "paused") parts.push(etaWords(progress.etaSeconds));
  }
  return parts.join(" · ");
}

/** A job's status with its phase and progress while it runs, for a row of a list. */
export function JobState({ job }: { job: TrainingJob }) {
  const words = isMoving(job) || job.status === "paused" ? progressWords(job) : "";
  return (
    <>
      <JobStatus job={job} />
      {job.status === "running" && job.progress?.percent != null && job.phase === "training" ? (
        <Progress size={3} mt={3} value={job.progress.percent} aria-label="Training" />
      ) : null}
      {words === "" && job.staleSince === null ? null : (
        <Text size="xs" c="dimmed" className="clip tabular" component="div" title={words}>
          {job.staleSince === null ? words : "Trainer unreachable"}
        </Text>
      )}
    </>
  );
}

/** The same in one line, for a phone. */
export const JobStatusLine = ({ job }: { job: TrainingJob }) => (
  <Text size="xs" component="div" className="clip tabular">
    <JobStatus job={job} />{" "}
    <Text span inherit c="dimmed">
      {job.staleSince === null ? (isUnfinished(job) ? progressWords(job) : "") : "Trainer unreachable"}
    </Text>
  </Text>
);
