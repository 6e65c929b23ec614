import type { ConversationSnapshot, Evidence } from "../types";
import { FAILURE_MATCH_SCORE } from "./failure/failure-text";
import { readToolFailure } from "./failure/read-tool-failure";
import { quoteExchange, type ToolExchange, toolExchanges } from "./tool-exchanges";

/** A tool call that went wrong, with what it said. */
export type ToolFailure = {
  exchange: ToolExchange;
  /** Where the exchange stands among all exchanges of the conversation. */
  position: number;
  score: number;
  verdict: "match" | "ambiguous";
  message: string;
  evidence: Evidence;
};

/** A flag or a span status is the client's own word that the call failed. */
const FLAGGED_SCORE = 0.98;

const failuresOf = new WeakMap<ConversationSnapshot, readonly ToolFailure[]>();

/** Every failed tool call of a conversation, in order. */
export function toolFailures(conversation: ConversationSnapshot): readonly ToolFailure[] {
  let failures = failuresOf.get(conversation);
  if (!failures) {
    failures = toolExchanges(conversation).flatMap((exchange, position) => {
      const failure = failureOf(conversation, exchange, position);
      return failure ? [failure] : [];
    });
    failuresOf.set(conversation, failures);
  }
  return failures;
}

function failureOf(conversation: ConversationSnapshot, exchange: ToolExchange, position: number): ToolFailure | null {
  const read = exchange.result === null ? null : readToolFailure(exchange.result);
  if (!exchange.isError && !read) return null;
  const score = exchange.isError ? FLAGGED_SCORE : read!.score;
  return {
    exchange,
    position,
    score,
    verdict: score >= FAILURE_MATCH_SCORE ? "match" : "ambiguous",
    message: read?.message ?? exchange.errorMessage ?? exchange.result ?? "",
    evidence: read
      ? quoteExchange(conversation, exchange, read.start, read.end)
      : quoteExchange(conversation, exchange),
  };
}
