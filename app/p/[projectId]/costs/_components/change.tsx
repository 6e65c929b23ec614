import { Unknown } from "@/app/_components/values/unknown";
import { formatPercent, formatUsd } from "@/app/_lib/format";

type Sums = { cost: number | null; calls: number };

/** From this factor on, a multiple is easier to read than a percentage. */
const MANY = 10;

/** The previous period's sums. `undefined`: not known yet; `null`: there were no calls; `"unlisted"`: not in the response. */
export type Before = Sums | null | undefined | "unlisted";

/** The change of a cost relative to the previous period. */
export function Change({ now, before }: { now: Sums; before: Before }) {
  if (before === undefined) return "…";
  if (before === "unlisted") return <Unknown why="not among the most expensive in the previous period" />;
  if (now.cost === null) return <Unknown why="no known cost" />;
  if (before === null || before.calls === 0) return <span title="No calls in the previous period">new</span>;
  if (before.cost === null || before.cost === 0)
    return (
      <Unknown
        why={before.cost === null ? "no known cost in the previous period" : "they cost nothing in the previous period"}
      />
    );
  return (
    <span className="tabular" title={`${formatUsd(before.cost)} in the previous period`}>
      {changeWords(now.cost / before.cost)}
    </span>
  );
}

/** Returns the factor to sort by, infinite if there were no calls before; `undefined` if it is unknown. */
export function factorOf(now: Sums, before: Before): number | undefined {
  if (before === undefined || before === "unlisted" || now.cost === null) return undefined;
  if (before === null || before.calls === 0) return Number.POSITIVE_INFINITY;
  return before.cost ? now.cost / before.cost : undefined;
}

/** Returns the words for a factor: `+12%`, `−3%`, `×14`, `no change`. */
export function changeWords(factor: number): string {
  if (factor >= MANY) return `×${factor.toFixed(0)}`;
  const size = formatPercent(Math.abs(factor - 1));
  if (size === formatPercent(0)) return "no change";
  return `${factor > 1 ? "+" : "−"}${size}`;
}
