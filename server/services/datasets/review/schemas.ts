import { z } from "zod";
import { CANDIDATE_STATUSES, COLLECTION_OBJECTIVES, EXAMPLE_SOURCE_KINDS } from "@/db/schema/enumerations";
import { filledText, idInput, pageInput } from "@/server/platform/schemas";
import { chatPayload, givenChatPayload } from "../chat-payload/schemas";
import { tags } from "../examples/schemas";

const objective = z.enum(COLLECTION_OBJECTIVES);

/** A collected Example and the outcome of its review. Times are Unix ms. */
export const candidate = z.object({
  id: z.string(),
  datasetId: z.string(),
  objective,
  /** Why it was collected, as a sentence; `reasonCode` is the same as a code. */
  reason: z.string(),
  reasonCode: z.string(),
  source: z.object({
    kind: z.enum(EXAMPLE_SOURCE_KINDS),
    conversationId: z.string(),
    /** Index of the message in question: the answer that worked, or the one that failed. */
    turn: z.int(),
    findingId: z.string().nullable(),
    knowledgeGoalId: z.string().nullable(),
  }),
  /** Whether a connected model wrote the expected answer. */
  proposedByModel: z.boolean(),
  payload: chatPayload,
  status: z.enum(CANDIDATE_STATUSES),
  /** The reviewer who has it open, and until when nobody else is offered it. */
  claimedBy: z.string().nullable(),
  claimedUntil: z.number().nullable(),
  skippedAt: z.number().nullable(),
  reviewedBy: z.string().nullable(),
  reviewedAt: z.number().nullable(),
  rejectReason: z.string().nullable(),
  /** The Example created from it. */
  exampleId: z.string().nullable(),
  createdAt: z.number(),
});
export type Candidate = z.infer<typeof candidate>;

/** How much is left to review, and the caller's pace. */
export const reviewCounter = z.object({
  waiting: z.int(),
  /** The caller's decisions since midnight (UTC). */
  doneToday: z.int(),
  /** The caller's decisions in the last hour. */
  perHour: z.int(),
});
export type ReviewCounter = z.infer<typeof reviewCounter>;

export const listReviewQueueInput = z.strictObject({
  datasetId: z.string().max(200).optional(),
  objective: objective.optional(),
  status: z.enum(CANDIDATE_STATUSES).default("waiting"),
  ...pageInput,
});
export const reviewQueueReply = z.object({
  candidates: z.array(candidate),
  counter: reviewCounter,
  nextCursor: z.string().nullable(),
});

export const candidateIdInput = z.strictObject({ candidateId: idInput });
export const candidateReply = z.object({ candidate });

export const nextCandidateInput = z.strictObject({
  /** Only candidates of this Dataset. */
  datasetId: idInput.optional(),
  /** Candidates that the caller already has open: a different one is claimed. */
  holding: z.array(idInput).max(20).default([]),
});
export const peekCandidateInput = nextCandidateInput.pick({ datasetId: true });
export const nextCandidateReply = z.object({ candidate: candidate.nullable(), counter: reviewCounter });

export const approveCandidateInput = z.strictObject({
  candidateId: idInput,
  /** An edited payload. Default: as proposed. */
  payload: givenChatPayload.optional(),
  /** Makes a pair: a worse answer to the same input, `{type: "chat_message", message}`. Replaces the payload's own. */
  rejectedOutput: z
    .unknown()
    .optional()
    .meta({ examples: [{ type: "chat_message", message: { role: "assistant", content: "I do not know." } }] }),
  tags: tags.default([]),
});
export const rejectCandidateInput = z.strictObject({
  candidateId: idInput,
  reason: filledText(500, "Enter a reason."),
});

/** The outcome of an approval. After a `duplicate`, the candidate is rejected with that as the reason. */
const approval = z.discriminatedUnion("status", [
  z.object({ status: z.literal("created"), exampleId: z.string() }),
  z.object({
    status: z.literal("duplicate"),
    /** The existing Example. */
    exampleId: z.string(),
    of: z.enum(["content", "provenance", "externalRef"]),
  }),
]);
export const approvedReply = z.object({ candidate, outcome: approval, counter: reviewCounter });
export const decidedReply = z.object({ candidate, counter: reviewCounter });

/** The reply for callers who may review but not read. */
const decided = candidate.pick({ id: true, datasetId: true, status: true, exampleId: true, reviewedAt: true });
export const decidedWriteOnly = z.object({ candidate: decided });
export const approvedWriteOnly = z.object({ candidate: decided, outcome: approval });
export const nextWriteOnly = z.object({
  candidate: candidate.pick({ id: true, datasetId: true, claimedUntil: true }).nullable(),
});
