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

/** Merges signals by cause: verdict, score and title of the best one, evidence of all in order. */
export function mergeByCause(signals: readonly DetectedSignal[]): DetectedSignal[] {
  if (signals.length === 0) return [];
  const byCause = new Map<string, { best: DetectedSignal; evidence: Evidence[] }>();
  for (const signal of signals) {
    const known = byCause.get(signal.cause);
    if (!known) {
      byCause.set(signal.cause, { best: signal, evidence: [...signal.evidence] });
      continue;
    }
    if (isBetter(signal, known.best)) known.best = signal;
    for (const item of signal.evidence) known.evidence.push(item);
  }
  return [...byCause.values()].map(({ best, evidence }) => ({ ...best, evidence: deduplicated(evidence) }));
}

type Judged = Pick<DetectedSignal, "verdict" | "score">;

/** Whether `a` says more than `b` of the same cause: a match before what is ambiguous, then by score. */
export function isBetter(a: Judged, b: Judged): boolean {
  if (a.verdict !== b.verdict) return a.verdict === "match";
  return a.score > b.score;
}

function deduplicated(evidence: readonly Evidence[]): Evidence[] {
  const seen = new Set<string>();
  const kept: Evidence[] = [];
  for (const item of evidence) {
    const key = `${item.messageIndex} ${item.messageIndex === null ? item.spanId : ""} ${item.start} ${item.end}`;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(item);
    if (kept.length === EVIDENCE_LIMIT) break;
  }
  return kept;
}
