import { z } from "zod";
import { ACTOR_KINDS, BACKFILL_SCAN_STATUSES } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination, unixMs } from "@/server/platform/schemas";

export const scanStatus = z.enum(BACKFILL_SCAN_STATUSES);

/** The statuses of a backfill that has not ended. */
export const UNFINISHED_SCAN_STATUSES = ["queued", "scanning", "processing"] as const;

const CONVERSATIONS_MAX = 10_000_000;
const maxConversations = z.int().min(1).max(CONVERSATIONS_MAX);

/** Unix ms. Selects conversations whose last activity lies in `[startMs, endMs)`, the newest `maxConversations` of them. */
const windowInput = z
  .strictObject({
    ruleId: idInput,
    startMs: unixMs,
    endMs: unixMs,
    maxConversations: maxConversations.optional(),
    /** The earlier name of `maxConversations`; send one of the two. */
    limit: maxConversations.optional().meta({ deprecated: true }),
  })
  .refine((input) => (input.maxConversations === undefined) !== (input.limit === undefined), {
    message: "Send maxConversations. The earlier name, limit, cannot be combined with it.",
    path: ["maxConversations"],
  })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: "The end must be after the start.", path: ["endMs"] })
  // The first refinement in JSON Schema.
  .meta({
    examples: [{ startMs: 1_789_000_000_000, endMs: 1_789_600_000_000, maxConversations: 1000 }],
    oneOf: [{ required: ["maxConversations"] }, { required: ["limit"] }],
  });

export const createBackfillInput = windowInput;
export const previewBackfillInput = windowInput;
export type BackfillWindow = { startMs: number; endMs: number; maxConversations: number };

/** A backfill with its Runs by status. Times are Unix ms. */
export const backfill = z.object({
  id: z.string(),
  ruleId: z.string(),
  /** The Rule's settings at the time of the request, which all its Runs use. */
  configurationRevision: z.int(),
  startMs: z.number(),
  endMs: z.number(),
  maxConversations: z.int(),
  /**
   * `scanning` while conversations are being queued, `processing` until the last Run has finished. While paused it stays
   * where it is. A cancelled backfill is `failed` with `cancelledAt`.
   */
  scanStatus,
  pausedAt: z.number().nullable(),
  cancelledAt: z.number().nullable(),
  /** Its Runs by status. A conversation that already has a Run for the same question gets a `skipped` one that names it. */
  counts: z.object({
    queued: z.int(),
    running: z.int(),
    completed: z.int(),
    skipped: z.int(),
    failed: z.int(),
  }),
  /** Conversations in the window at the time of the request, at most `maxConversations`. */
  conversationsExpected: z.int(),
  conversationsScanned: z.int(),
  /** Conversations finished per second lately; `null` until measured. */
  rate: z.number().nullable(),
  /** Milliseconds until it is expected to finish at that rate; `null` when unknown, paused or finished. */
  etaMs: z.number().nullable(),
  error: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  /** The person's email address or the key's name, while they exist. */
  actorName: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  links: z.object({ rule: z.string(), runs: z.string() }),
});
export type Backfill = z.infer<typeof backfill>;

export const backfillReply = z.object({ backfill });
/** Reply to a caller who may start a backfill but not read diagnoses. */
export const requestedBackfillReply = z.object({
  backfill: backfill.pick({
    id: true,
    ruleId: true,
    startMs: true,
    endMs: true,
    maxConversations: true,
    scanStatus: true,
    pausedAt: true,
    cancelledAt: true,
    createdAt: true,
    finishedAt: true,
  }),
});
export const backfillIdInput = z.strictObject({ backfillId: idInput });
export const listBackfillsInput = z.strictObject({
  scanStatus: scanStatus.optional(),
  ruleId: z.string().max(100).optional(),
  ...pageInput,
});
export const backfillsReply = z.object({ backfills: z.array(backfill), pagination });

/** What adjudicating ambiguous Signals would cost, estimated from a sample of the conversations that would be read. */
const adjudicationPreview = z.object({
  /**
   * Why no model is asked, or why the cost is `null`: the Rule leaves ambiguous Signals out (it costs nothing), the project
   * has no adjudicator, neither the Rule nor its connection names a model, or the model has no known price.
   */
  reason: z.enum(["deterministic-only", "no-adjudicator", "no-model", "no-price"]).nullable(),
  model: z.string().nullable(),
  conversationsSampled: z.int(),
  /** Questions expected, excluding those with a reusable answer. */
  questions: z.int(),
  /** How many of these today's remaining budget (UTC) allows, and the limit that excludes the rest. */
  questionsAllowed: z.int(),
  limitedBy: z.enum(["calls", "tokens", "usd"]).nullable(),
  tokensPerQuestion: z.object({ input: z.int(), output: z.int() }).nullable(),
  /** `project`: the mean of this model's latest answers in this project; `estimate`: from the length of the questions. */
  tokensFrom: z.enum(["project", "estimate"]).nullable(),
  /** US dollars for all of the questions, regardless of the budget. */
  cost: z.number().nullable(),
});
export type AdjudicationPreview = z.infer<typeof adjudicationPreview>;

export const backfillPreviewReply = z.object({
  preview: z.object({
    /** Conversations that it would examine, at most `maxConversations`. */
    conversations: z.int(),
    /** Whether all of them were examined; otherwise the counts below cover only the newest of them. */
    complete: z.boolean(),
    /** Of those examined: Runs that it would create, and conversations skipped because the same question already has a Run. */
    runs: z.int(),
    alreadyRead: z.int(),
    /** Those of `runs` that would reread a conversation that was read with other settings or before it continued. */
    repeats: z.int(),
    /** Whether every Run would be such a repetition. */
    redoesEverything: z.boolean(),
    /** Conversations per second, and whether it was measured on this project's backfills or is the benchmark's. */
    rate: z.number(),
    rateFrom: z.enum(["project", "benchmark"]),
    expectedMs: z.number(),
    /** Expected US dollars for adjudicating ambiguous Signals, within today's remaining budget; `null` when not known. */
    adjudicationCost: z.number().nullable(),
    adjudication: adjudicationPreview,
  }),
});
export type BackfillPreview = z.infer<typeof backfillPreviewReply>["preview"];
