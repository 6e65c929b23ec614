import { z } from "zod";
import { CANDIDATE_STATUSES, COLLECTION_OBJECTIVES, EXAMPLE_SOURCE_KINDS } from "@/db/schema/enumerations";
import { filledText, idInput, pageInput } from "@/server/platform/schemas";
import { chatPayload, givenChatPayload } from "../chat-payload/schemas";
import { tags } from "../examples/schemas";

const objective = z.enum(COLLECTION_OBJECTIVES);

/** An Example that was collected, and what became of it in review. Times are Unix ms. */
export const candidate = z.object({
  id: z.string(),
  datasetId: z.string(),
  objective,
  /** Why it was collected, as a sentence, and the same as a code. */
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
  /** The reviewer who has it open, and until when it is offered to nobody else. */
  claimedBy: z.string().nullable(),
  claimedUntil: z.number().nullable(),
  skippedAt: z.number().nullable(),
  reviewedBy: z.string().nullable(),
  reviewedAt: z.number().nullable(),
  rejectReason: z.string().nullable(),
  /** The Example that it became. */
  exampleId: z.string().nullable(),
  createdAt: z.number(),
});
export type Candidate = z.infer<typeof candidate>;

/** What is left to review, and how fast the caller is. */
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
  /** Candidates that the caller has open already: another one is taken. */
  holding: z.array(idInput).max(20).default([]),
});
export const peekCandidateInput = nextCandidateInput.pick({ datasetId: true });
export const nextCandidateReply = z.object({ candidate: candidate.nullable(), counter: reviewCounter });

export const approveCandidateInput = z.strictObject({
  candidateId: idInput,
  /** An edited payload. Default: as proposed. */
  payload: givenChatPayload.optional(),
  /** Makes a pair: a worse answer to the same input, `{type: "chat_message", message}`. Replaces the payload's own. */
  rejectedOutput: z.unknown().optional(),
  tags: tags.default([]),
});
export const rejectCandidateInput = z.strictObject({
  candidateId: idInput,
  reason: filledText(500, "Enter a reason."),
});

/** What an approval did. After a `duplicate` the candidate is rejected, with that as its reason. */
const approval = z.discriminatedUnion("status", [
  z.object({ status: z.literal("created"), exampleId: z.string() }),
  z.object({
    status: z.literal("duplicate"),
    /** The Example that is there already. */
    exampleId: z.string(),
    of: z.enum(["content", "provenance", "externalRef"]),
  }),
]);
export const approvedReply = z.object({ candidate, outcome: approval, counter: reviewCounter });
export const decidedReply = z.object({ candidate, counter: reviewCounter });

/** Replies to a caller who may review but not read. */
const decided = candidate.pick({ id: true, datasetId: true, status: true, exampleId: true, reviewedAt: true });
export const decidedWriteOnly = z.object({ candidate: decided });
export const approvedWriteOnly = z.object({ candidate: decided, outcome: approval });
export const nextWriteOnly = z.object({
  candidate: candidate.pick({ id: true, datasetId: true, claimedUntil: true }).nullable(),
});
