import { z } from "zod";
import {
  ACTOR_KINDS,
  COLLECTION_OBJECTIVES,
  COLLECTION_PASS_ORIGINS,
  COLLECTION_PASS_STATUSES,
} from "@/db/schema/enumerations";
import { idInput, pageInput, unixMs } from "@/server/platform/schemas";
import { chatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { collectionFilters } from "@/server/services/datasets/datasets/schemas";

const CONVERSATIONS_MAX = 10_000_000;
const objective = z.enum(COLLECTION_OBJECTIVES);
/** Counts by reason code. */
const counts = z.record(z.string(), z.int());

/** One scan of settled conversations for a Dataset. Times are Unix ms. */
export const collectionPass = z.object({
  id: z.string(),
  datasetId: z.string(),
  /** `backfill` was requested for a window in the past; `automatic` reads conversations as they settle. */
  origin: z.enum(COLLECTION_PASS_ORIGINS),
  startMs: z.number(),
  endMs: z.number(),
  status: z.enum(COLLECTION_PASS_STATUSES),
  conversationsExpected: z.int(),
  conversationsRead: z.int(),
  proposed: z.int(),
  /** What was left out, by reason. */
  left: counts,
  /** Why it was cancelled or failed. */
  error: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  finishedAt: z.number().nullable(),
});
export type CollectionPass = z.infer<typeof collectionPass>;

/** Unix ms. Selects the conversations whose last activity is in `[startMs, endMs)`, at most the newest `maxConversations`. */
export const createCollectionPassInput = z
  .strictObject({
    datasetId: idInput,
    startMs: unixMs,
    endMs: unixMs,
    maxConversations: z.int().min(1).max(CONVERSATIONS_MAX),
  })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: "startMs must be before endMs.", path: ["endMs"] })
  .meta({ examples: [{ startMs: 1_789_000_000_000, endMs: 1_789_600_000_000, maxConversations: 1000 }] });
export const collectionPassReply = z.object({ collectionPass });
export const collectionPassIdInput = z.strictObject({ datasetId: idInput, collectionPassId: idInput });
export const listCollectionPassesInput = z.strictObject({ datasetId: idInput, ...pageInput });
export const collectionPassesReply = z.object({
  collectionPasses: z.array(collectionPass),
  nextCursor: z.string().nullable(),
});

export const previewCollectionInput = z.strictObject({
  datasetId: idInput,
  /** Default: the Dataset's. */
  objective: objective.optional(),
  /** Default: the Dataset's. */
  collectionFilters: collectionFilters.optional(),
});

export const previewObjectiveInput = z
  .strictObject({ objective, collectionFilters: collectionFilters.default({}) })
  .meta({ examples: [{ objective: "preserve_successful_behavior" }] });

const sample = z.object({
  conversationId: z.string(),
  turn: z.int(),
  reason: z.string(),
  reasonCode: z.string(),
  findingId: z.string().nullable(),
  knowledgeGoalId: z.string().nullable(),
  payload: chatPayload,
});
export const collectionPreviewReply = z.object({
  preview: z.object({
    objective,
    /** Unix ms: conversations with activity since then. */
    since: z.number(),
    /** Number of conversations read. */
    conversations: z.int(),
    /** Whether these were all since then; otherwise only the newest were read. */
    complete: z.boolean(),
    /** Number of Examples that would have been collected, and counts by reason. */
    proposed: z.int(),
    reasons: counts,
    /** Counts of what is left out, by reason. */
    left: counts,
    /** Some of what would have been collected. */
    samples: z.array(sample),
  }),
});
