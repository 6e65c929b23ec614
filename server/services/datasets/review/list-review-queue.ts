import { and, eq } from "drizzle-orm";
import { exampleCandidates } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { candidateJson, ofLivingDataset, readCandidate } from "./candidates";
import { reviewCounterOf } from "./review-counter";
import { candidateIdInput, candidateReply, listReviewQueueInput, reviewQueueReply } from "./schemas";

export const listReviewQueue = verb(
  {
    name: "reviewQueue.list",
    summary: "List collected Examples that are waiting for review, newest first.",
    description:
      "`status` lists those that were approved or rejected instead. `counter` says how many are waiting, and how many the caller has decided since midnight (UTC) and in the last hour.",
    effect: "read",
    capability: "workspace:read",
    input: listReviewQueueInput,
    reply: reviewQueueReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const { rows, nextCursor } = await listPage(
      {
        name: "review-queue",
        table: exampleCandidates,
        filters: { project: ctx.projectId, ...filters },
        limit,
        cursor,
      },
      (after) =>
        ctx.db
          .select()
          .from(exampleCandidates)
          .where(
            and(
              eq(exampleCandidates.projectId, ctx.projectId),
              eq(exampleCandidates.status, filters.status),
              filters.datasetId === undefined ? undefined : eq(exampleCandidates.datasetId, filters.datasetId),
              filters.objective && eq(exampleCandidates.objective, filters.objective),
              ofLivingDataset,
              after,
            ),
          ),
    );
    return { candidates: rows.map(candidateJson), counter: await reviewCounterOf(ctx, filters.datasetId), nextCursor };
  },
);

export const getCandidate = verb(
  {
    name: "reviewQueue.get",
    summary: "Read one collected Example and its review outcome.",
    description:
      "With the conversation and turn that it was collected from, why, and whether a model proposed its answer. Once decided, it has the reviewer, and the Example made from it or the reason of the rejection.",
    effect: "read",
    capability: "workspace:read",
    input: candidateIdInput,
    reply: candidateReply,
  },
  async (ctx, { candidateId }) => ({ candidate: candidateJson(await readCandidate(ctx, candidateId)) }),
);
