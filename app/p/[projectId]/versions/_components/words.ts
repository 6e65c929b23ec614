import { formatDuration, formatPercent, formatUsd, UNKNOWN } from "@/app/_lib/format";
import type { ComparedRow, ComparedSide, Verdict } from "@/server/services/diagnostics/versions/schemas";

export const VERDICT_WORDS: Record<Verdict, string> = {
  better: "Better",
  worse: "Worse",
  none_shown: "No difference shown",
  too_few: "Too few to say",
};

export const KIND_WORDS: Record<Exclude<ComparedRow["kind"], "finding">, { title: string; note: string | null }> = {
  errors: { title: "Conversations with errors", note: null },
  thumbs_down: { title: "Thumbs down", note: "of conversations with feedback" },
  cost: { title: "Cost of a conversation", note: "mean, where every call has a price" },
  latency: { title: "Time for a model call", note: "median of the conversations’ means" },
};

type Kind = ComparedRow["kind"];
type Limits = { value: number; low: number | null; high: number | null };

const formatOf = (kind: Kind) => (kind === "cost" ? formatUsd : kind === "latency" ? formatDuration : formatPercent);

/** `4.1%`, `$0.012`, `820 ms`. */
export const valueWords = (kind: Kind, value: number) => formatOf(kind)(value);

/** `3.2% to 5.1%`; a dash where the limits are unknown. */
export function limitsWords(kind: Kind, { low, high }: Pick<Limits, "low" | "high">): string {
  if (low === null && high === null) return UNKNOWN;
  const end = (value: number | null) => (value === null ? "?" : formatOf(kind)(value));
  return `${end(low)} to ${end(high)}`;
}

const signed = (words: string, value: number) => (value > 0 ? `+${words}` : value < 0 ? `−${words}` : words);

/** The unit of a difference: points of a share, dollars, or percent of a duration. */
function changeOf(kind: Kind, value: number): string {
  const size = Math.abs(value);
  if (kind === "cost") return signed(formatUsd(size), value);
  const percent = Number((size * 100).toFixed(size < 0.1 ? 1 : 0)).toLocaleString("en-US");
  return signed(kind === "latency" ? `${percent}%` : `${percent} points`, Number(percent) === 0 ? 0 : value);
}

/** `+2.4 points`, `−$0.004`, `+31%`. */
export const differenceWords = (kind: Kind, { value }: Pick<Limits, "value">) => changeOf(kind, value);

/** The limits of a difference. */
export const differenceLimits = (kind: Kind, { low, high }: Pick<Limits, "low" | "high">) =>
  low === null || high === null ? null : `${changeOf(kind, low)} to ${changeOf(kind, high)}`;

/** `12 of 310`, or how many conversations a figure is of. */
export const ofWords = ({ affected, conversations }: ComparedSide) =>
  affected === null
    ? `of ${conversations.toLocaleString("en-US")}`
    : `${affected.toLocaleString("en-US")} of ${conversations.toLocaleString("en-US")}`;
