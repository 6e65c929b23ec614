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

const failedCallsOf = new WeakMap<ConversationSnapshot, ReadonlyMap<ToolExchange, ToolFailure>>();

/** Returns the first of these calls' failures if all of them failed with one cause, else `null`. */
export function commonFailure(
  conversation: ConversationSnapshot,
  exchanges: readonly (ToolExchange | null)[],
): ToolFailure | null {
  let failed = failedCallsOf.get(conversation);
  if (!failed) {
    const sure = toolFailures(conversation).filter(({ verdict }) => verdict === "match");
    failed = new Map(sure.map((failure) => [failure.exchange, failure]));
    failedCallsOf.set(conversation, failed);
  }
  const first = exchanges[0] && failed.get(exchanges[0]);
  if (!first) return null;
  const cause = failureCause(first);
  const isSame = (exchange: ToolExchange | null) => {
    const failure = exchange && failed.get(exchange);
    return failure ? failureCause(failure) === cause : false;
  };
  return exchanges.every(isSame) ? first : null;
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
