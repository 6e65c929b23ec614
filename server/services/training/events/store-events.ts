import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trainingEvents, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { trainingJobMoved } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { insertPlannedExport } from "@/server/services/model-exports";
import { queueRollout } from "@/server/services/serving";
import { createPoints, valuesOf } from "./metric-points";
import { isEnded, type JobRow, projectEvent } from "./project-event";
import { storePoints } from "./store-points";
import { type WireEvent, wireEvent } from "./wire-event";

/** Events that are shown in the charts and in the job's progress; in its log they would drown out the others. */
const isCharted = ({ type, data }: WireEvent) => type === "metrics" || (type === "phase.progress" && "step" in data);

/** Returns the events that follow the job's newest one without a gap, up to the first one from an earlier attempt. */
function following(job: JobRow, given: readonly unknown[]): WireEvent[] {
  const events = given
    .flatMap((event) => {
      const parsed = wireEvent.safeParse(event);
      return parsed.success && parsed.data.seq > job.lastSeq ? [parsed.data] : [];
    })
    .sort((a, b) => a.seq - b.seq);
  const next: WireEvent[] = [];
  let { lastSeq: seq, attempt } = job;
  for (const event of events) {
    if (event.seq === seq) continue;
    if (event.seq !== seq + 1 || event.attempt < attempt) break;
    next.push(event);
    ({ seq, attempt } = event);
  }
  return next;
}

/** Applies the events in order, stores those for the log, and returns the job's new state. */
async function apply(tx: Ctx, before: JobRow, events: readonly WireEvent[]): Promise<JobRow> {
  const points = createPoints();
  const flush = async () => {
    await storePoints(tx.db, before, points.all(), points.firstSteps());
    points.clear();
  };
  let job = before;
  for (const event of events) {
    // A new attempt repeats steps.
    if (event.attempt !== job.attempt) await flush();
    job = { ...job, ...(await projectEvent(tx.db, job, event)), attempt: event.attempt, lastSeq: event.seq };
    const charted = valuesOf(event, Number(job.progress?.step ?? 0));
    for (const [series, value] of Object.entries(charted?.values ?? {})) {
      points.add(series, charted?.step ?? 0, value, event.ts);
    }
  }
  await flush();
  const logged = events.filter((event) => !isCharted(event));
  if (logged.length > 0) {
    await tx.db
      .insert(trainingEvents)
      .values(logged.map(({ ts: at, ...event }) => ({ ...event, at, projectId: before.projectId, jobId: before.id })))
      .onConflictDoNothing();
  }
  return job;
}

/**
 * Stores a job's events, numbered by its trainer, in the caller's transaction. Each takes effect once: known ones are skipped,
 * nothing after a gap is stored, and events of an earlier attempt are refused. Returns the newest stored number; the trainer
 * continues with the next one.
 */
export async function storeEvents(
  tx: Ctx,
  { id }: { id: string },
  given: readonly unknown[],
): Promise<{ lastSeq: number }> {
  const isJob = and(eq(trainingJobs.projectId, tx.projectId), eq(trainingJobs.id, id));
  const [before] = await tx.db.select().from(trainingJobs).where(isJob).for("update");
  if (!before) return { lastSeq: 0 };
  const events = following(before, given);
  if (events.length === 0) return { lastSeq: before.lastSeq };
  // Safe because after a crash of the database the poll fetches them again: their numbers are lost along with them.
  if (events.every(isCharted)) await tx.db.execute(sql`set local synchronous_commit = off`);
  const job = await apply(tx, before, events);
  const hasEnded = isEnded(job.status);
  const isConfirmed = hasEnded || job.status === "paused";
  await tx.db
    .update(trainingJobs)
    .set({
      status: job.status,
      phase: job.phase,
      stopReason: job.stopReason,
      error: job.error,
      progress: job.progress,
      resolvedSpec: job.resolvedSpec,
      attempt: job.attempt,
      lastSeq: job.lastSeq,
      staleSince: null,
      ...(job.status === "running" && job.startedAt === null ? { startedAt: NOW } : {}),
      ...(hasEnded ? { dueAt: null } : {}),
      ...(hasEnded && !isEnded(before.status) ? { finishedAt: NOW } : {}),
      ...(hasEnded ? {} : { finishedAt: null }),
      ...(isConfirmed && before.requested?.action !== "resume" ? { requested: null } : {}),
      updatedAt: NOW,
    })
    .where(isJob);
  if (job.status === "succeeded" && before.status !== "succeeded") {
    await insertPlannedExport(tx, job);
    await queueRollout(tx, job);
  }
  if (job.status !== before.status) {
    const moved = trainingJobMoved.create({ projectId: tx.projectId, jobId: id });
    await emit(tx.db, Object.assign(moved, { id: `training-moved:${id}:${job.lastSeq}` }));
  }
  return { lastSeq: job.lastSeq };
}
