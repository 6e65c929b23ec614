import { formatCount, formatPercent } from "@/app/_lib/format";
import { BASIS_MEANS, restsOn } from "@/server/services/diagnostics/findings/schemas";
import type { ConfidenceBasis } from "@/server/services/diagnostics/schemas";

/** `n = 146, 88% to 96%`; empty for what nobody counted. */
const countedText = ({ n, interval }: Pick<ConfidenceBasis, "n" | "interval">) =>
  n === 0
    ? ""
    : `n = ${formatCount(n)}${interval ? `, ${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : ""}`;

/** `measured on labelled conversations (n = 146, 88% to 96%): the share of …`: what a confidence rests on, in a sentence. */
export function basisText(grounds: ConfidenceBasis): string {
  const counted = countedText(grounds);
  return `${restsOn(grounds)}${counted ? ` (${counted})` : ""}: ${BASIS_MEANS[grounds.basis]}`;
}

/** A confidence with the word for what it rests on, which says more on hover. */
export const Confidence = ({ value, grounds }: { value: number | null; grounds: ConfidenceBasis }) => (
  <span className="tabular" title={basisText(grounds)}>
    {formatPercent(value)} <span style={{ color: "var(--mantine-color-dimmed)" }}>{grounds.basis}</span>
  </span>
);
