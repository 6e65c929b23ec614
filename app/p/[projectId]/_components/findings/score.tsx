"use client";
import { HoverCard, Text, UnstyledButton } from "@mantine/core";
import type { Finding } from "@/server/services/diagnostics/schemas";
import classes from "./score.module.css";

const PARTS = [
  { key: "severity", label: "Severity", means: "how bad one occurrence is" },
  { key: "confidence", label: "Confidence", means: "measured precision of the Rule at this score" },
  { key: "spread", label: "Spread", means: "share of recent conversations" },
] as const;

/** The diagnostic score and its factors. */
export function Score({ finding }: { finding: Pick<Finding, "diagnosticScore" | "diagnosticScoreParts"> }) {
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
      <HoverCard.Dropdown>
        <ScoreParts finding={finding} />
      </HoverCard.Dropdown>
    </HoverCard>
  );
}

/** severity × confidence × spread, with their values. */
export function ScoreParts({ finding }: { finding: Pick<Finding, "diagnosticScore" | "diagnosticScoreParts"> }) {
  return (
    <table className={classes.parts}>
      <tbody>
        {PARTS.map(({ key, label, means }, index) => (
          <tr key={key}>
            <th scope="row">
              {index > 0 ? "× " : ""}
              {label}
              <Text size="xs" c="dimmed" fw={400}>
                {means}
              </Text>
            </th>
            <td>{finding.diagnosticScoreParts[key].toFixed(3)}</td>
          </tr>
        ))}
        <tr className={classes.total}>
          <th scope="row">= Score</th>
          <td>{finding.diagnosticScore.toFixed(3)}</td>
        </tr>
      </tbody>
    </table>
  );
}
