import { and, eq, gte, lt } from "drizzle-orm";
import { jobRuns } from "@/db/schema";
import { replayFailed, replayRun } from "@/server/engine/replay/replay-run";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { backgroundJobJson, findBackgroundJob } from "./find-background-job";
import {
  changedBackgroundJobReply,
  changedStateReply,
  replayBackgroundJobInput,
  replayedReply,
  replayFailedBackgroundJobsInput,
} from "./schemas";

/** Jobs per call, which keeps the transaction under a second. */
const AT_ONCE = 1000;

export const replayBackgroundJob = verb(
  {
    name: "backgroundJobs.replay",
    summary: "Replay a failed or cancelled background job.",
    description:
      "Completed steps keep their results; the others run again. 409 for a job that is already queued, so a repeated request replays once. With `finishedAt`, 409 also for a job that has failed again since then.",
    effect: "write",
    capability: "project:admin",
    input: replayBackgroundJobInput,
    reply: changedBackgroundJobReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: changedStateReply },
  },
  async (ctx, { backgroundJobId, finishedAt }) => {
    const row = await findBackgroundJob(ctx, backgroundJobId, { lock: true });
    if (finishedAt !== undefined && row.finishedAt !== finishedAt) {
      throw new ServiceError("conflict", "The job has already been replayed, or has changed since then.");
    }
    await replayRun(ctx.db, row.id);
    auditNote(ctx, {
      target: { type: "backgroundJob", id: row.id },
      before: { state: row.state },
      after: { state: "queued" },
    });
    return { backgroundJob: await backgroundJobJson(ctx, await findBackgroundJob(ctx, row.id)) };
  },
);

export const replayFailedBackgroundJobs = verb(
  {
    name: "backgroundJobs.replayFailed",
    summary: "Replay all failed background jobs that match the filters, oldest first, up to 1,000 per request.",
    description:
      "`functionId`, `createdAfter` (inclusive) and `createdBefore` (exclusive) limit which; without them, all are replayed. Completed steps keep their results. `more` says whether failed jobs are left: repeat the request.",
    effect: "write",
    capability: "project:admin",
    input: replayFailedBackgroundJobsInput,
    reply: replayedReply,
  },
  async (ctx, { functionId, createdAfter, createdBefore }) => {
    const fitting = and(
      eq(jobRuns.projectId, ctx.projectId),
      functionId === undefined ? undefined : eq(jobRuns.functionId, functionId),
      createdAfter === undefined ? undefined : gte(jobRuns.createdAt, createdAfter),
      createdBefore === undefined ? undefined : lt(jobRuns.createdAt, createdBefore),
    );
    const replayed = await replayFailed(ctx.db, fitting, AT_ONCE);
    auditNote(ctx, { target: null, after: { replayed, functionId, createdAfter, createdBefore } });
    return { replayed, more: replayed === AT_ONCE };
  },
);
