import { chatSnapshot } from "../chat-snapshot";
import { RULES, type RuleConfiguration, runDetectors } from "../rules";
import type { ConversationSnapshot } from "../types";

/** A message in the format of chat APIs; only text where a trainer is to answer. */
export type ReplayedMessage = {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};
export type ReplayedAnswer = { content: string; finishReason: string };

/** A Finding's Rule as it was when a proof began. */
export type FrozenRule = { ruleId: string; version: number; configuration: RuleConfiguration; signal: string };

const SPAN = "replay";

/** Returns a conversation that ends with the answer, with the model call that produced it. */
function replayed(prompt: readonly ReplayedMessage[], { content, finishReason }: ReplayedAnswer): ConversationSnapshot {
  const { messages, ...rest } = chatSnapshot("replay", [...prompt, { role: "assistant", content }]);
  const call = {
    spanId: SPAN,
    traceId: SPAN,
    name: "chat",
    provider: null,
    requestedModel: null,
    responseModel: null,
    finishReasons: [finishReason],
    status: "ok" as const,
    error: null,
    startedAt: 0,
    endedAt: 0,
    usage: null,
  };
  const last = { ...messages.at(-1)!, spanId: SPAN };
  return { ...rest, messages: [...messages.slice(0, -1), last], modelCalls: [call] };
}

/**
 * Returns whether a Rule's detectors report the Finding's Signal, for any cause, in an answer to a conversation; `null` if
 * this release has another version of the Rule. What the Rule reports elsewhere in the conversation does not count. Pure.
 */
export function isFoundIn(
  { ruleId, version, configuration, signal }: FrozenRule,
  prompt: readonly ReplayedMessage[],
  answer: ReplayedAnswer,
): boolean | null {
  const rule = RULES.find(({ id }) => id === ruleId);
  if (!rule || rule.version !== version) return null;
  const { occurrences } = runDetectors(rule, replayed(prompt, answer), configuration);
  return occurrences.some(
    (found) =>
      found.signal === signal &&
      found.evidence.some((one) => one.messageIndex === prompt.length || one.spanId === SPAN),
  );
}
