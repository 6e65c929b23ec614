import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { basisText, Confidence } from "@/app/p/[projectId]/_components/findings/confidence";
import type { Rule } from "./use-toggle-rule";

type Signal = Rule["signals"][number];
const QUIET = { color: "var(--mantine-color-dimmed)" };

/** How far a Signal is trusted and on what ground: `93% measured`, `n = 146, 88% to 96%`, `finds 99% of 740`. */
export function Quality({ signal: { confidence, recall, measuredOn } }: { signal: Signal }) {
  const { interval } = confidence;
  return (
    <>
      <Confidence value={confidence.value} grounds={confidence} />
      <span className="tabular" style={{ ...QUIET, display: "block", fontSize: "var(--mantine-font-size-xs)" }}>
        {[
          confidence.by === "reviews" ? "your reviews" : "",
          confidence.n > 0 ? `n = ${formatCount(confidence.n)}` : "",
          interval ? `${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : "",
          recall === null ? "" : `finds ${formatPercent(recall)} of ${formatCount(measuredOn)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </>
  );
}

/** The range of a Rule's enabled and measured Signals, with the number of those. */
export function RuleQuality({ rule: { signals } }: { rule: Rule }) {
  const measured = signals.filter(({ enabled, confidence }) => enabled && confidence.basis === "measured");
  if (measured.length === 0) return <Unknown why="none of its Signals has been measured" />;
  const values = measured.map(({ confidence }) => confidence.value);
  const [low, high] = [formatPercent(Math.min(...values)), formatPercent(Math.max(...values))];
  return (
    <span
      className="tabular"
      style={{ whiteSpace: "nowrap" }}
      title={measured.map(({ name, confidence }) => `${name} ${basisText(confidence)}`).join("\n")}
    >
      {low === high ? low : `${low}–${high}`} measured
      <span style={QUIET}> · {plural(measured.length, "Signal")}</span>
    </span>
  );
}
