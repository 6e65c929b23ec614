import { Dot } from "@/app/_components/values/dot";
import type { Finding } from "@/server/services/diagnostics/schemas";

type State = Pick<Finding, "reviewStatus" | "resolutionStatus" | "regressedAt" | "escalatingSince">;

/** A Finding's state as one word: the resolution if there is one, else the review. */
export function findingState(finding: State): { word: string; color: string; hollow?: boolean } {
  if (finding.reviewStatus === "dismissed") return { word: "Dismissed", color: "var(--severity-info)", hollow: true };
  if (finding.resolutionStatus === "resolved") return { word: "Resolved", color: "var(--state-ok)" };
  if (finding.resolutionStatus === "unresolved" && finding.regressedAt !== null)
    return { word: "Regressed", color: "var(--severity-critical)" };
  if (finding.escalatingSince !== null) return { word: "Escalating", color: "var(--severity-critical)" };
  if (finding.resolutionStatus === "unresolved") return { word: "Unresolved", color: "var(--severity-high)" };
  if (finding.reviewStatus === "confirmed") return { word: "Confirmed", color: "var(--mantine-primary-color-filled)" };
  return { word: "For review", color: "var(--severity-low)", hollow: true };
}

export function FindingState({ finding }: { finding: State }) {
  const { word, color, hollow } = findingState(finding);
  return (
    <Dot color={color} hollow={hollow ?? false}>
      {word}
    </Dot>
  );
}
