import { FAILURE_MATCH_SCORE } from "@/server/platform/tool-failure/failure-text";
import { saysInvalidArguments, saysTimeout, saysUnknownTool } from "@/server/platform/tool-failure/kinds";
import { readToolFailure } from "@/server/platform/tool-failure/read-tool-failure";
import type { ConversationSnapshot, Evidence } from "../../types";
import { quoteExchange, type ToolExchange, toolExchanges } from "../reading/tool-exchanges";
import { maskCause } from "./mask-cause";

/** A failed tool call with its message. */
export type ToolFailure = {
  exchange: ToolExchange;
  /** Index of the exchange among all exchanges of the conversation. */
  position: number;
  score: number;
  verdict: "match" | "ambiguous";
  message: string;
  /** The message with its values masked. */
  template: string;
  evidence: Evidence;
};

/** Returns the cause of every Signal about a tool's failure, so that they share a Finding. */
export function failureCause({ exchange, message, template }: Pick<ToolFailure, "exchange" | "message" | "template">) {
  return `${exchange.name}: ${kindOf(exchange, message) ?? (template || "failed without a message")}`;
}

/** What is one cause for a tool, however it is said. */
function kindOf({ errorMessage }: ToolExchange, message: string): string | null {
  if (saysUnknownTool(message)) return "no such tool";
  if (saysTimeout(message) || saysTimeout(errorMessage ?? "")) return "timed out";
  return saysInvalidArguments(message) ? "invalid arguments" : null;
}

/** A flag or span status is the client's explicit statement that the call failed. */
const FLAGGED_SCORE = 0.98;

const failuresOf = new WeakMap<ConversationSnapshot, readonly ToolFailure[]>();

/** Returns all failed tool calls of a conversation, in order. */
export function toolFailures(conversation: ConversationSnapshot): readonly ToolFailure[] {
  let failures = failuresOf.get(conversation);
  if (!failures) {
    const templateOf = masker();
    failures = toolExchanges(conversation).flatMap((exchange, position) => {
      const failure = failureOf(conversation, exchange, position, templateOf);
      return failure ? [failure] : [];
    });
    failuresOf.set(conversation, failures);
  }
  return failures;
}

/** Returns a memoized `maskCause`: failures come in series. */
function masker(): (message: string) => string {
  const known = new Map<string, string>();
  return (message) => {
    const template = known.get(message) ?? maskCause(message);
    known.set(message, template);
    return template;
  };
}

function failureOf(
  conversation: ConversationSnapshot,
  exchange: ToolExchange,
  position: number,
  templateOf: (message: string) => string,
): ToolFailure | null {
  const read = exchange.result === null ? null : readToolFailure(exchange.result);
  if (!exchange.isError && !read) return null;
  const message = read?.message ?? exchange.errorMessage ?? exchange.result ?? "";
  const score = exchange.isError ? FLAGGED_SCORE : read!.score;
  return {
    exchange,
    position,
    score,
    verdict: score >= FAILURE_MATCH_SCORE ? "match" : "ambiguous",
    message,
    template: templateOf(message),
    evidence: read
      ? quoteExchange(conversation, exchange, read.start, read.end)
      : quoteExchange(conversation, exchange),
  };
}
