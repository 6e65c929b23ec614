import { z } from "zod";
import { idInput } from "@/server/platform/schemas";
import { configurationPatch } from "../rules/schemas";
import { confidenceBasis, evidence, severity } from "../schemas";

const MESSAGES_MAX = 2_000;

/** A message in the format of chat APIs. */
const pastedMessage = z.looseObject({
  role: z.string().min(1).max(100),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
  /** A tool message's tool. */
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
      }),
    )
    .nullish(),
});

/** Exactly one of `conversationId` and `messages`. */
export const tryRuleInput = z
  .strictObject({
    ruleId: idInput,
    /** Our id or the client's own. */
    conversationId: z.string().min(1).max(1000).optional(),
    messages: z.array(pastedMessage).min(1).max(MESSAGES_MAX).optional(),
    /** Unsaved changes to the Rule's configuration, as a PATCH takes them. */
    configuration: configurationPatch.optional(),
  })
  .refine((input) => (input.conversationId === undefined) !== (input.messages === undefined), {
    message: "Send either conversationId or messages.",
  })
  .meta({
    examples: [{ messages: [{ role: "user", content: "Where is my order?" }] }],
    oneOf: [{ required: ["conversationId"] }, { required: ["messages"] }],
  });

/** One detection, or a Signal that detected nothing. */
const triedSignal = z.object({
  name: z.string(),
  severity,
  enabled: z.boolean(),
  verdict: z.enum(["match", "ambiguous", "no_match"]),
  /** The detector's, 0..1; 0 where nothing was detected. */
  score: z.number(),
  /** Probability that the detection is correct, 0..1; `null` where nothing was detected. */
  confidence: z.number().nullable(),
  confidenceBasis: confidenceBasis.nullable(),
  /**
   * What a Run would make of it: an occurrence (`found`), or nothing because it is below `minSignalScore` or
   * `minDiagnosticConfidence`, is `ambiguous`, is `off`, or because `nothing` was detected.
   */
  outcome: z.enum(["found", "belowScore", "belowConfidence", "ambiguous", "off", "nothing"]),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  evidence: z.array(evidence),
});
export type TriedSignal = z.infer<typeof triedSignal>;

/** Every Signal of the Rule, with an entry for each detection. `messages`: how many were read. */
export const tryRuleReply = z.object({
  ruleId: z.string(),
  conversationId: z.string().nullable(),
  messages: z.int(),
  signals: z.array(triedSignal),
});
/** Without anything that quotes the conversation. */
export const triedRuleReply = tryRuleReply.extend({
  signals: z.array(triedSignal.omit({ title: true, summary: true, evidence: true })),
});

export const previewRuleInput = z.strictObject({
  ruleId: idInput,
  /** Unsaved changes to the Rule's configuration, as a PATCH takes them. */
  configuration: configurationPatch,
});

/** Conversations in which a Signal would be found with the saved configuration (`before`) and with the changed one (`after`). */
const changedSignal = z.object({
  name: z.string(),
  before: z.int(),
  after: z.int(),
  gained: z.int(),
  lost: z.int(),
});
const changeExample = z.object({
  conversationId: z.string(),
  signal: z.string(),
  change: z.enum(["gained", "lost"]),
  title: z.string(),
});
export type ChangeExample = z.infer<typeof changeExample>;

/** `complete`: whether every conversation since `since` (Unix ms) was read; otherwise the newest were. */
const rulePreview = z.object({
  since: z.number(),
  conversations: z.int(),
  complete: z.boolean(),
  signals: z.array(changedSignal),
  examples: z.array(changeExample),
});
export const previewRuleReply = z.object({ preview: rulePreview });
export const previewedRuleReply = z.object({ preview: rulePreview.omit({ examples: true }) });
