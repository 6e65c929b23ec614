import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";

export type FeedbackData = RouterOutputs["feedback"]["list"]["feedback"][number];

/** Groups feedback by the message it is about, oldest first; `null` for the conversation. */
export function feedbackByMessage(all: readonly FeedbackData[]): ReadonlyMap<number | null, FeedbackData[]> {
  const grouped = new Map<number | null, FeedbackData[]>();
  for (const one of [...all].reverse()) {
    grouped.set(one.messageIndex, [...(grouped.get(one.messageIndex) ?? []), one]);
  }
  return grouped;
}

/** Returns the rating without its text: "Thumbs up", "Score 2 of 1 to 5", "user_rating 2". */
export function feedbackTitle({ kind, value, scale, name }: FeedbackData): string {
  const called = name ?? (kind === "score" ? "Score" : null);
  if (kind === "thumb") return `Thumbs ${value}${name === null ? "" : ` (${name})`}`;
  if (kind === "score") return `${called} ${value}${scale ? ` of ${scale.min} to ${scale.max}` : ""}`;
  return called ?? (kind === "correction" ? "Correction" : "Comment");
}

/** Returns the text that came with it; `null` if there is none. */
export const feedbackText = ({ kind, value, comment }: FeedbackData): string | null =>
  kind === "comment" || kind === "correction" ? String(value) : comment;

const COUNTED = [
  ["thumbs up", (one: FeedbackData) => one.kind === "thumb" && one.value === "up", "thumbs up"],
  ["thumbs down", (one: FeedbackData) => one.kind === "thumb" && one.value === "down", "thumbs down"],
  ["score", (one: FeedbackData) => one.kind === "score", "scores"],
  ["comment", (one: FeedbackData) => one.kind === "comment", "comments"],
  ["correction", (one: FeedbackData) => one.kind === "correction", "corrections"],
] as const;

/** Returns a summary of all feedback: "2 thumbs down, 1 comment". */
export const feedbackSummary = (all: readonly FeedbackData[]): string =>
  COUNTED.flatMap(([one, matches, many]) => {
    const count = all.filter(matches).length;
    return count === 0 ? [] : [plural(count, one, many)];
  }).join(", ");
