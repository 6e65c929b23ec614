import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { Rule } from "./use-toggle-rule";

type Signal = Rule["signals"][number];

/** `98% right · finds 95%, n = 400`: a Signal's precision and recall. */
export function Quality({ signal: { precision, recall, measuredOn } }: { signal: Signal }) {
  if (precision === null) return <Unknown why="no labelled data for it yet" />;
  return (
    <span className="tabular" style={{ whiteSpace: "nowrap" }}>
      {formatPercent(precision)} right
      {recall === null ? "" : ` · finds ${formatPercent(recall)}`}
      <span style={{ color: "var(--mantine-color-dimmed)" }}> · n = {formatCount(measuredOn)}</span>
    </span>
  );
}

/** The lowest precision of a Rule's enabled and measured Signals, with the number of those. */
export function RuleQuality({ rule: { signals } }: { rule: Rule }) {
  const measured = signals.flatMap(({ enabled, precision }) => (enabled && precision !== null ? precision : []));
  if (measured.length === 0) return <Unknown why="none of its Signals has been measured" />;
  const [low, high] = [formatPercent(Math.min(...measured)), formatPercent(Math.max(...measured))];
  return (
    <span className="tabular" style={{ whiteSpace: "nowrap" }}>
      {low === high ? low : `${low}–${high}`} right
      <span style={{ color: "var(--mantine-color-dimmed)" }}> · {plural(measured.length, "Signal")}</span>
    </span>
  );
}
