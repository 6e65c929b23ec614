import { formatDay } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { DAY_MS } from "@/server/platform/durations";

type Timeline = RouterOutputs["findings"]["timeline"];
type Marker = Timeline["markers"][number];
export type TimelineDay = Timeline["days"][number];

/** One day of the chart. Without conversations it has no rate, which is not a rate of zero. */
export type TimelineRow = TimelineDay & {
  label: string;
  share: number | null;
  interval: [low: number, high: number] | null;
};

export const timelineRows = (days: readonly TimelineDay[]): TimelineRow[] =>
  days.map((day) => ({
    ...day,
    label: formatDay(day.day),
    share: day.rate?.rate ?? null,
    interval: day.rate ? [day.rate.low, day.rate.high] : null,
  }));

/** What changed on one day, with the number that marks it in the chart. `versions`: those first seen, as conversations name them. */
export type DayOfChanges = { number: number; day: number; label: string; changes: string[]; versions: string[] };

const WORDS: Record<Marker["kind"], (marker: Marker) => string> = {
  version: ({ name, service }) => `${service === null ? "Version" : service} ${name} first seen`,
  model: ({ name }) => `${name} first used`,
  resolved: () => "Resolved",
  regressed: () => "Regressed",
  handed_off: ({ name }) => `Handed off: ${name}`,
  commit: ({ name }) => `Commit “${name}”`,
  pull_request: ({ name }) => `Pull request “${name}”`,
};

/** Groups markers by day (UTC), oldest first, so that several of a day share one line of the chart. */
export function daysOfChanges(markers: readonly Marker[]): DayOfChanges[] {
  const inOrder = markers.toSorted((a, b) => a.at - b.at);
  const byDay = Map.groupBy(inOrder, ({ at }) => Math.floor(at / DAY_MS) * DAY_MS);
  return [...byDay].map(([day, ofDay], index) => ({
    number: index + 1,
    day,
    label: formatDay(day),
    changes: ofDay.map((marker) => WORDS[marker.kind](marker)),
    versions: ofDay.flatMap(({ kind, name, service }) =>
      kind === "version" && name !== null ? [service === null ? name : `${service} ${name}`] : [],
    ),
  }));
}
