import { onOneLine } from "@/server/platform/excerpt";
import { parseJson } from "@/server/platform/json/json-text";
import type { ConversationSnapshot } from "../../types";
import { writeJson } from "./comparable-json";
import { type ToolExchange, toolExchanges } from "./tool-exchanges";

/** A comparable step of an agent. */
export type Step = {
  exchange: ToolExchange;
  /** Tool and arguments without case, punctuation and key order, which often are all that changes in a retry. */
  call: string;
  /** The result without times and durations; `null` when unknown. Computed lazily, because most calls already differ. */
  readonly result: string | null;
  /** Number of user messages before this step. A new user message may justify a repeat. */
  userTurns: number;
};

/** Characters of a result that are compared, in addition to its length. */
const RESULT_READ = 800;
const VOLATILE =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?\b|\b\d{1,9}(?:\.\d{1,9})? ?(?:ms|milliseconds|s|secs?|seconds)\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

const stepsOf = new WeakMap<ConversationSnapshot, readonly Step[]>();

/** Returns the tool calls of a conversation as comparable steps, in order. */
export function agentSteps(conversation: ConversationSnapshot): readonly Step[] {
  let steps = stepsOf.get(conversation);
  if (!steps) {
    const turns = userTurnsBefore(conversation);
    let last = 0;
    steps = toolExchanges(conversation).map((exchange) => {
      const index = exchange.callIndex ?? exchange.resultIndex;
      last = index === null ? last : turns[index]!;
      return stepOf(exchange, last);
    });
    stepsOf.set(conversation, steps);
  }
  return steps;
}

function stepOf(exchange: ToolExchange, userTurns: number): Step {
  let result: string | undefined;
  return {
    exchange,
    call: `${exchange.name} ${comparable(exchange.arguments)}`,
    get result() {
      if (exchange.result === null) return null;
      result ??= comparableResult(exchange.result);
      return result;
    },
    userTurns,
  };
}

/** Returns whether two steps have the same call and the same result. */
export const isSameStep = (a: Step, b: Step): boolean => a.call === b.call && a.result === b.result;

function userTurnsBefore({ messages }: ConversationSnapshot): number[] {
  let turns = 0;
  return messages.map((message) => {
    if (message.role === "user") turns++;
    return turns;
  });
}

function comparable(args: string): string {
  const value = parseJson(args);
  return value === undefined ? simplified(args) : written(value, 0);
}

/** Deeper values are compared verbatim. */
const DEPTH = 12;

function written(value: unknown, depth: number): string {
  if (typeof value === "string") return `"${simplified(value)}"`;
  if (value === null || typeof value !== "object" || depth > DEPTH) return writeJson(value) ?? "…";
  if (Array.isArray(value)) return `[${value.map((item) => written(item, depth + 1)).join()}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${key}:${written(item, depth + 1)}`).join()}}`;
}

/** Characters of a value that are simplified; the rest is compared verbatim. */
const VALUE_READ = 20_000;

/** Reduces text to lower-case letters and digits of any language; text of only punctuation is returned verbatim. */
function simplified(text: string): string {
  const simple = text
    .slice(0, VALUE_READ)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
  return simple === "" ? text : simple + text.slice(VALUE_READ);
}

function comparableResult(result: string): string {
  const head = onOneLine(result.slice(0, RESULT_READ).replace(VOLATILE, "~"));
  return result.length > RESULT_READ ? `${head} ${result.length}` : head;
}
