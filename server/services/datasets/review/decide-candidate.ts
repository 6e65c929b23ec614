import { NOW } from "@/db/now";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { validateChatPayload } from "../chat-payload";
import type { ChatPayload } from "../chat-payload/schemas";
import { lockDataset } from "../examples/lock-dataset";
import { writeExamples } from "../examples/write-examples";
import {
  type CandidateRow,
  candidateJson,
  changeCandidate,
  lockWaiting,
  readCandidate,
  reviewerOf,
} from "./candidates";
import { draftOf } from "./draft-of";
import { reviewCounterOf } from "./review-counter";
import {
  approveCandidateInput,
  approvedReply,
  approvedWriteOnly,
  candidateIdInput,
  decidedReply,
  decidedWriteOnly,
  rejectCandidateInput,
} from "./schemas";

const REVIEW = { effect: "write" as const, capability: "models:manage" as const };
const DECIDED = {
  ...REVIEW,
  reply: decidedReply,
  writeOnlyReply: { unless: ["workspace:read" as const], reply: decidedWriteOnly },
};
const UNCLAIMED = { claimedBy: null, claimedUntil: null };

export const approveCandidate = verb(
  {
    name: "reviewQueue.approve",
    summary: "Approve a candidate: it becomes an Example of its Dataset.",
    description:
      "`payload` is an edited one; `rejectedOutput` makes a pair. An answer that a model proposed keeps the tag `proposed-by-model`. Problems are reported by pointer (400). If the Dataset has the same content, `outcome` names that Example and the candidate is rejected as a duplicate. 409 if it was decided, another reviewer has it open, or its conversation was deleted.",
    ...REVIEW,
    input: approveCandidateInput,
    reply: approvedReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: approvedWriteOnly },
  },
  async (ctx, { candidateId, tags, ...given }) => {
    const { datasetId } = await readCandidate(ctx, candidateId);
    const dataset = await lockDataset(ctx, datasetId);
    const row = await lockWaiting(ctx, candidateId);
    const payload = payloadOf(row, given);
    const proposed = draftOf(row);
    const draft = {
      ...proposed,
      payload,
      tags: [...new Set([...proposed.tags, ...tags])],
      reviewerId: reviewerOf(ctx),
    };
    const [outcome] = await writeExamples(ctx, dataset, [{ kind: "create", draft }], { kind: "edit" });
    const reviewed = { ...UNCLAIMED, reviewedBy: reviewerOf(ctx), reviewedAt: NOW };
    if (outcome?.status === "created") {
      const { exampleId } = outcome;
      const after = await changeCandidate(ctx, row.id, { ...reviewed, status: "approved", exampleId });
      auditNote(ctx, { after: { exampleId, edited: given.payload !== undefined } });
      return {
        candidate: candidateJson(after),
        outcome: { status: "created" as const, exampleId },
        counter: await reviewCounterOf(ctx),
      };
    }
    if (outcome?.status !== "duplicate")
      throw new ServiceError("conflict", "The conversation of this candidate was deleted.");
    const rejectReason = `Duplicate of ${outcome.exampleId}.`;
    const after = await changeCandidate(ctx, row.id, { ...reviewed, status: "rejected", rejectReason });
    auditNote(ctx, { after: { duplicateOf: outcome.exampleId } });
    return { candidate: candidateJson(after), outcome, counter: await reviewCounterOf(ctx) };
  },
);

export const rejectCandidate = verb(
  {
    name: "reviewQueue.reject",
    summary: "Reject a candidate, with a reason. The same source is not collected again.",
    description: "The reason is kept with the candidate. 409 if another reviewer has it open or it was decided.",
    ...DECIDED,
    input: rejectCandidateInput,
  },
  async (ctx, { candidateId, reason }) => {
    await lockWaiting(ctx, candidateId);
    const row = await changeCandidate(ctx, candidateId, {
      ...UNCLAIMED,
      status: "rejected",
      rejectReason: reason,
      reviewedBy: reviewerOf(ctx),
      reviewedAt: NOW,
    });
    return { candidate: candidateJson(row), counter: await reviewCounterOf(ctx) };
  },
);

export const skipCandidate = verb(
  {
    name: "reviewQueue.skip",
    summary: "Move a candidate to the end of the queue.",
    description:
      "It is offered again after all that nobody has skipped, those that were skipped first before others. 409 if another reviewer has it open or it was decided.",
    ...DECIDED,
    input: candidateIdInput,
  },
  async (ctx, { candidateId }) => {
    await lockWaiting(ctx, candidateId);
    const row = await changeCandidate(ctx, candidateId, { ...UNCLAIMED, skippedAt: NOW });
    return { candidate: candidateJson(row), counter: await reviewCounterOf(ctx) };
  },
);

/** Returns the payload to store: as proposed or as edited, with the worse answer if that makes it a pair. */
function payloadOf(row: CandidateRow, given: { payload?: unknown; rejectedOutput?: unknown }): ChatPayload {
  if (given.payload === undefined && given.rejectedOutput === undefined) return row.payload as ChatPayload;
  const { payload = row.payload, rejectedOutput } = given;
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  const whole = rejectedOutput === undefined || !isObject ? payload : { ...payload, rejectedOutput };
  const checked = validateChatPayload(whole);
  if ("payload" in checked) return checked.payload;
  const errors = checked.problems.map(({ path, message }) => ({ path: placeOf(path, given), message }));
  throw new ServiceError("invalid", "The payload is not valid.", { errors });
}

/** Returns the pointer into the request, where the worse answer has its own field. */
const placeOf = (path: string, { rejectedOutput }: { rejectedOutput?: unknown }) =>
  rejectedOutput !== undefined && path.startsWith("/rejectedOutput") ? path : `/payload${path}`;
