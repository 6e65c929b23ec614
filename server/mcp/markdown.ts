import { cutToTokens, tokenBound } from "@/server/platform/text/token-bound";
import { PlaceholderMask } from "@/server/services/diagnostics/masking";
import { code, quoted } from "@/server/services/tickets";
import type { Refused } from "./call";

/** Tokens of a result at most. */
export const RESULT_TOKENS = 8000;
/** Tokens of a name, such as a model's or a label. */
const NAME_TOKENS = 60;

/** How texts of others are shown: with personal data and secrets masked, the same value by the same placeholder, and as data. */
export type Shown = {
  /** The text, masked, where it is quoted by other means. */
  masked: (text: string) => string;
  /** A name, as code on a line. */
  name: (text: string) => string;
  /** A few words, as code on a line. */
  short: (text: string, tokens: number) => string;
  /** A block of at most so many tokens. */
  block: (text: string, tokens: number) => string;
};

export function shownAsData(): Shown {
  const mask = new PlaceholderMask();
  const masked = (text: string) => mask.text(text);
  const short: Shown["short"] = (text, tokens) => code(cutToTokens(masked(text), tokens));
  return {
    masked,
    short,
    name: (text) => short(text, NAME_TOKENS),
    block: (text, tokens) => quoted(cutToTokens(masked(text), tokens)),
  };
}

/** Joins what is known with commas; parts that are `null` are left out. */
export const line = (...parts: readonly (string | null | undefined | false)[]) => parts.filter(Boolean).join(", ");
/** Joins paragraphs; those that are `null` are left out. */
export const paragraphs = (...parts: readonly (string | null | undefined | false)[]) =>
  parts.filter(Boolean).join("\n\n");

export const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** US dollars, of small sums three digits that count. `null` is an unknown sum, and is said to be one. */
export const dollars = (sum: number | null, isComplete = true) =>
  sum === null
    ? "unknown cost"
    : `${isComplete ? "" : "at least "}$${Math.abs(sum) >= 1 || sum === 0 ? sum.toFixed(2) : Number(sum.toPrecision(3))}`;

/** A number as it was given, and within its bounds. */
export type Clamped = { given: number; used: number };

/** Says that a number was brought within its bounds; `null` if it was not. */
export const clampNote = (name: string, { given, used }: Clamped) =>
  given === used ? null : `\`${name}\` was ${given}; ${used} is used.`;

/** A call of a tool, as a model writes it. */
export const callOf = (tool: string, input: Record<string, unknown>) =>
  `${tool}(${JSON.stringify(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)))})`;

/** Says how the list goes on; `null` at its end. */
export const moreOf = (tool: string, input: Record<string, unknown>, nextCursor: string | null) =>
  nextCursor === null ? null : `There are more: ${callOf(tool, { ...input, cursor: nextCursor })}`;

/** What `/v1` refused, with the reason as data: it may quote another service. */
export const refusalText = ({ problem: { status, code: kind, detail, errors = [] } }: Refused) =>
  paragraphs(
    `Refused: ${kind} (${status}).`,
    quoted(cutToTokens([detail, ...errors.map(({ path, message }) => `${path}: ${message}`)].join("\n"), 1000)),
  );

/** Returns a result, or what to do about one that is too long after all. */
export const within = (text: string) =>
  tokenBound(text) <= RESULT_TOKENS
    ? text
    : "The result is longer than 8,000 tokens. Ask for less: a smaller limit or range.";
