import { and, asc, eq, isNotNull, isNull, notInArray, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { exampleCandidates } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import {
  type CandidateRow,
  candidateJson,
  changeCandidate,
  lockWaiting,
  ofLivingDataset,
  reviewerOf,
} from "./candidates";
import { reviewCounterOf } from "./review-counter";
import {
  candidateIdInput,
  decidedReply,
  decidedWriteOnly,
  nextCandidateInput,
  nextCandidateReply,
  nextWriteOnly,
  peekCandidateInput,
} from "./schemas";

/** How long a candidate is reserved for a reviewer. */
const CLAIM_MS = 10 * 60_000;
export const claimEnd = sql<number>`${NOW} + ${CLAIM_MS}::bigint`;

const REVIEW = { effect: "write" as const, capability: "models:manage" as const };
const DECIDED = {
  ...REVIEW,
  reply: decidedReply,
  writeOnlyReply: { unless: ["workspace:read" as const], reply: decidedWriteOnly },
};

export const nextCandidate = verb(
  {
    name: "reviewQueue.next",
    summary: "Take the next candidate to review.",
    description:
      "It is reserved for the caller for ten minutes. A caller who already has one open gets the same one for another ten minutes, unless `holding` names it. Oldest first; skipped ones come last. `candidate` is `null` when none is waiting.",
    ...REVIEW,
    input: nextCandidateInput,
    reply: nextCandidateReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: nextWriteOnly },
  },
  async (ctx, { datasetId, holding }) => {
    const found = await nextOf(ctx, datasetId, holding, "lock");
    const claimed =
      found && (await changeCandidate(ctx, found.id, { claimedBy: reviewerOf(ctx), claimedUntil: claimEnd }));
    auditNote(ctx, claimed ? { target: { type: "candidate", id: claimed.id }, after: {} } : { nothing: true });
    return { candidate: claimed ? candidateJson(claimed) : null, counter: await reviewCounterOf(ctx, datasetId) };
  },
);

export const peekCandidate = verb(
  {
    name: "reviewQueue.peek",
    summary: "Read the candidate that the caller would take next, without taking it.",
    description: "Another reviewer can take it first. `candidate` is `null` when none is waiting.",
    effect: "read",
    capability: "workspace:read",
    input: peekCandidateInput,
    reply: nextCandidateReply,
  },
  async (ctx, { datasetId }) => {
    const [found, counter] = [await nextOf(ctx, datasetId, []), await reviewCounterOf(ctx, datasetId)];
    return { candidate: found ? candidateJson(found) : null, counter };
  },
);

export const claimCandidate = verb(
  {
    name: "reviewQueue.claim",
    summary: "Take this candidate, or keep it for another ten minutes.",
    description: "409 if another reviewer has it open or it was decided.",
    ...DECIDED,
    input: candidateIdInput,
  },
  async (ctx, { candidateId }) => {
    await lockWaiting(ctx, candidateId);
    const row = await changeCandidate(ctx, candidateId, { claimedBy: reviewerOf(ctx), claimedUntil: claimEnd });
    return { candidate: candidateJson(row), counter: await reviewCounterOf(ctx) };
  },
);

export const releaseCandidate = verb(
  {
    name: "reviewQueue.release",
    summary: "Give a candidate back, so that others can take it.",
    description:
      "It is offered to the next reviewer at once, in its old place. 409 if another reviewer has it open or it was decided.",
    ...DECIDED,
    input: candidateIdInput,
  },
  async (ctx, { candidateId }) => {
    await lockWaiting(ctx, candidateId);
    const row = await changeCandidate(ctx, candidateId, { claimedBy: null, claimedUntil: null });
    return { candidate: candidateJson(row), counter: await reviewCounterOf(ctx) };
  },
);

/**
 * Returns the caller's own open candidate, otherwise the first waiting one, otherwise the one that was skipped first. With
 * `lock`, skips candidates that another request is claiming.
 */
async function nextOf(
  tx: Ctx,
  datasetId: string | undefined,
  holding: readonly string[],
  lock?: "lock",
): Promise<CandidateRow | undefined> {
  const { claimedBy, claimedUntil, createdAt, id, skippedAt } = exampleCandidates;
  const mine = eq(claimedBy, reviewerOf(tx));
  const free = sql`(${claimedUntil} is null or ${claimedUntil} <= ${NOW})`;
  const first = async (condition: SQL | undefined, ...order: SQL[]) => {
    const query = tx.db
      .select()
      .from(exampleCandidates)
      .where(
        and(
          eq(exampleCandidates.projectId, tx.projectId),
          eq(exampleCandidates.status, "waiting"),
          datasetId === undefined ? undefined : eq(exampleCandidates.datasetId, datasetId),
          holding.length === 0 ? undefined : notInArray(id, [...holding]),
          ofLivingDataset,
          condition,
        ),
      )
      .orderBy(...order)
      .limit(1);
    const [row] = await (lock ? query.for("update", { of: exampleCandidates, skipLocked: true }) : query);
    return row;
  };
  return (
    (await first(and(mine, sql`${claimedUntil} > ${NOW}`), asc(createdAt), asc(id))) ??
    (await first(and(free, isNull(skippedAt)), asc(createdAt), asc(id))) ??
    (await first(and(free, isNotNull(skippedAt)), asc(skippedAt), asc(createdAt), asc(id)))
  );
}
