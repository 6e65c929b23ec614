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

/** What one call queues again: a transaction of a second at most. */
const AT_ONCE = 1000;

export const replayBackgroundJob = verb(
  {
    name: "backgroundJobs.replay",
    summary: "Queue a failed or cancelled background job again.",
    description:
      "Steps that had completed keep what they gave; the others run anew. One that is queued already is a 409, so asking twice replays once. With `finishedAt`, one that has failed again since then is a 409 as well.",
    effect: "write",
    capability: "project:admin",
    input: replayBackgroundJobInput,
    reply: changedBackgroundJobReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: changedStateReply },
  },
  async (ctx, { backgroundJobId, finishedAt }) => {
    const row = await findBackgroundJob(ctx, backgroundJobId, { lock: true });
    if (finishedAt !== undefined && row.finishedAt !== finishedAt) {
      throw new ServiceError("conflict", "It was replayed already, or has gone on since then.");
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
    summary: "Queue all failed background jobs again that fit the filters, up to 1,000 at once, the oldest first.",
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
