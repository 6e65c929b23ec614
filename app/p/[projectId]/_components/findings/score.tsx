"use client";
import { HoverCard, Text, UnstyledButton } from "@mantine/core";
import { formatCount } from "@/app/_lib/format";
import { PRIOR_CONVERSATIONS } from "@/server/services/diagnostics/rules/schemas";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { basisText } from "./confidence";
import classes from "./score.module.css";

type Scored = Pick<
  Finding,
  "diagnosticScore" | "diagnosticScoreParts" | "severity" | "confidenceBasis" | "recentShare"
>;

/** Digits that are enough for a reader to multiply the factors. */
const DIGITS = 3;

const PARTS = [
  { key: "severity", label: "Severity", means: ({ severity }: Scored) => `weight of ${severity}` },
  { key: "confidence", label: "Confidence", means: ({ confidenceBasis }: Scored) => basisText(confidenceBasis) },
  { key: "spread", label: "Spread", means: spreadText },
] as const;

/** `∛(14 ÷ (386 + 10)) = ∛0.0354`: a cube root, because shares span orders of magnitude. */
function spreadText({ recentShare: { affected, conversations }, diagnosticScoreParts: { spread } }: Scored): string {
  const of = `${formatCount(affected)} ÷ (${formatCount(conversations)} + ${PRIOR_CONVERSATIONS})`;
  return `∛(${of}) = ∛${(spread ** 3).toPrecision(DIGITS)}: the share of conversations of the last 14 days, with ${PRIOR_CONVERSATIONS} more so that 1 of 1 is not all`;
}

/** The diagnostic score and its factors. */
export function Score({ finding }: { finding: Scored }) {
  return (
    <HoverCard position="left" openDelay={150}>
      <HoverCard.Target>
        <UnstyledButton
          className={classes.value}
          aria-label={`Score ${finding.diagnosticScore.toFixed(2)}: ${PARTS.map(({ key, label }) => `${label} ${finding.diagnosticScoreParts[key].toFixed(2)}`).join(" × ")}`}
        >
          {finding.diagnosticScore.toFixed(2)}
        </UnstyledButton>
      </HoverCard.Target>
      <HoverCard.Dropdown maw="24rem">
        <ScoreParts finding={finding} />
      </HoverCard.Dropdown>
    </HoverCard>
  );
}

/** severity × confidence × spread, with their values and where each comes from. */
export function ScoreParts({ finding }: { finding: Scored }) {
  return (
    <table className={classes.parts}>
      <tbody>
        {PARTS.map(({ key, label, means }, index) => (
          <tr key={key}>
            <th scope="row">
              {index > 0 ? "× " : ""}
              {label}
              <Text size="xs" c="dimmed" fw={400}>
                {means(finding)}
              </Text>
            </th>
            <td>{finding.diagnosticScoreParts[key].toFixed(DIGITS)}</td>
          </tr>
        ))}
        <tr className={classes.total}>
          <th scope="row">= Score</th>
          <td>{finding.diagnosticScore.toFixed(DIGITS)}</td>
        </tr>
      </tbody>
    </table>
  );
}
