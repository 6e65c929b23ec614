import type { Message } from "@/server/services/telemetry/schemas";
import type { DetectedSignal, Evidence } from "../../types";
import { textOf } from "./text";

/** Characters. Enough to recognise a message, few enough to store for every conversation. */
export const QUOTE_LIMIT = 300;
/** A conversation that fails thousands of times does not need thousands of quotes. */
const EVIDENCE_LIMIT = 100;

/** Returns a quote of `[start, end)` from the text of a message, truncated to `QUOTE_LIMIT`. */
export function quoteMessage(
  messages: readonly Message[],
  messageIndex: number,
  start = 0,
  end = start + QUOTE_LIMIT,
): Evidence {
  const message = messages[messageIndex]!;
  const text = textOf(message);
  const from = Math.max(0, Math.min(start, text.length));
  const to = wholeCharacterEnd(text, Math.max(from, Math.min(end, text.length, from + QUOTE_LIMIT)));
  return { messageIndex, start: from, end: to, quote: text.slice(from, to), spanId: message.spanId };
}

/** Returns a quote from text recorded by a span; offsets index into that text. */
export function quoteSpan(spanId: string | null, text: string, start = 0, end = start + QUOTE_LIMIT): Evidence {
  const from = Math.max(0, Math.min(start, text.length));
  const to = wholeCharacterEnd(text, Math.max(from, Math.min(end, text.length, from + QUOTE_LIMIT)));
  return { messageIndex: null, start: from, end: to, quote: text.slice(from, to), spanId };
}

/** Avoids ending a quote within a surrogate pair: Postgres rejects lone surrogates. */
function wholeCharacterEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

type Mergeable = Judged & { cause: string; evidence: Evidence[] };

const mergedFrom = new WeakMap<object, readonly Mergeable[]>();

/** Merges signals by cause: verdict, score and title of the best one, evidence of all in order. */
export function mergeByCause<Signal extends Mergeable>(
  signals: readonly Signal[],
  keyOf: (signal: Signal) => string = ({ cause }) => cause,
): Signal[] {
  if (signals.length === 0) return [];
  const byCause = new Map<string, { best: Signal; parts: Signal[] }>();
  for (const signal of signals) {
    const key = keyOf(signal);
    const known = byCause.get(key);
    if (!known) {
      byCause.set(key, { best: signal, parts: [signal] });
      continue;
    }
    if (isBetter(signal, known.best)) known.best = signal;
    known.parts.push(signal);
  }
  return [...byCause.values()].map(({ best, parts }) => {
    const merged = { ...best, evidence: deduplicated(parts) };
    mergedFrom.set(merged, parts);
    return merged;
  });
}

/** Returns the signals that one was merged from, each with all its evidence; itself if it was not merged. */
export const unmerged = <Signal extends Mergeable>(signal: Signal): readonly Signal[] =>
  (mergedFrom.get(signal) as readonly Signal[] | undefined) ?? [signal];

type Judged = Pick<DetectedSignal, "verdict" | "score">;

/** Returns whether `a` is better than `b` of the same cause: a match beats an ambiguous Signal, then the score decides. */
export function isBetter(a: Judged, b: Judged): boolean {
  if (a.verdict !== b.verdict) return a.verdict === "match";
  return a.score > b.score;
}

function deduplicated(signals: readonly Pick<Mergeable, "evidence">[]): Evidence[] {
  const seen = new Set<string>();
  const kept: Evidence[] = [];
  for (const { evidence } of signals) {
    for (const item of evidence) {
      const key = `${item.messageIndex} ${item.messageIndex === null ? item.spanId : ""} ${item.start} ${item.end}`;
      if (seen.has(key)) continue;
      seen.add(key);
      kept.push(item);
      if (kept.length === EVIDENCE_LIMIT) return kept;
    }
  }
  return kept;
}
