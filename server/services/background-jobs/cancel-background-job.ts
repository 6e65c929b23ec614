import { cancelRun } from "@/server/engine/runs/finish-run";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { describeFunction } from "@/server/platform/jobs/catalogue";
import { verb } from "@/server/platform/verb";
import { backgroundJobJson, findBackgroundJob } from "./find-background-job";
import { cancelBackgroundJobInput, changedBackgroundJobReply, changedStateReply } from "./schemas";

export const cancelBackgroundJob = verb(
  {
    name: "backgroundJobs.cancel",
    summary: "Cancel a background job that is queued, retrying, sleeping or waiting for an event.",
    description:
      "409 for a job that is running, has finished, or must not be left half done (a deletion). A cancelled job can be replayed for 30 days.",
    effect: "write",
    capability: "project:admin",
    input: cancelBackgroundJobInput,
    reply: changedBackgroundJobReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: changedStateReply },
  },
  async (ctx, { backgroundJobId }) => {
    const row = await findBackgroundJob(ctx, backgroundJobId, { lock: true });
    if (row.finishedAt !== null) throw new ServiceError("conflict", "The job has already finished.");
    if (row.state === "running") {
      throw new ServiceError("conflict", "The job is running. It can be cancelled only while it waits.");
    }
    if (describeFunction(row.functionId).uncancellable) {
      throw new ServiceError("conflict", "The job must not be left half done, so it cannot be cancelled.");
    }
    await cancelRun(ctx.db, row.id);
    auditNote(ctx, {
      target: { type: "backgroundJob", id: row.id },
      before: { state: row.state },
      after: { state: "cancelled" },
    });
    return { backgroundJob: await backgroundJobJson(ctx, await findBackgroundJob(ctx, row.id)) };
  },
);
