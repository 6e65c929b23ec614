import { setTimeout as wait } from "node:timers/promises";
import { and, asc, eq, gt } from "drizzle-orm";
import { trainingEvents, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { isEnded } from "./project-event";
import type { TrainingEvent } from "./schemas";

type Page = { events: TrainingEvent[]; lastSeq: number; finished: boolean };

const LOG_COLUMNS = {
  seq: trainingEvents.seq,
  attempt: trainingEvents.attempt,
  at: trainingEvents.at,
  level: trainingEvents.level,
  type: trainingEvents.type,
  message: trainingEvents.message,
  data: trainingEvents.data,
};

/** Returns a page of a job's log. `lastSeq` also counts events that are only in the charts. */
export async function readLog({ db, projectId }: Ctx, jobId: string, after: number, limit: number): Promise<Page> {
  // The job is read first: events stored in between have higher numbers, or are on this page.
  const [job] = await db
    .select({ status: trainingJobs.status, lastSeq: trainingJobs.lastSeq })
    .from(trainingJobs)
    .where(and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, jobId)));
  if (!job) throw notFound("The training job");
  const events = await db
    .select(LOG_COLUMNS)
    .from(trainingEvents)
    .where(and(eq(trainingEvents.projectId, projectId), eq(trainingEvents.jobId, jobId), gt(trainingEvents.seq, after)))
    .orderBy(asc(trainingEvents.seq))
    .limit(limit);
  const last = events.at(-1)?.seq ?? after;
  const isWhole = events.length < limit;
  return { events, lastSeq: isWhole ? Math.max(last, job.lastSeq) : last, finished: isWhole && isEnded(job.status) };
}

/** Polling interval. */
const LOOK_MS = 500;

/** Returns a page of a job's log as soon as there is anything new, including in its charts, or after `seconds`. */
export async function awaitLog(ctx: Ctx, jobId: string, after: number, limit: number, seconds: number): Promise<Page> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const page = await readLog(ctx, jobId, after, limit);
    const left = deadline - performance.now();
    if (page.lastSeq > after || page.finished || left <= 0) return page;
    await wait(Math.min(LOOK_MS, left));
  }
}
