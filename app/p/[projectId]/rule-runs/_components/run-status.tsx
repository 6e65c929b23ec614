import { Dot } from "@/app/_components/values/dot";
import type { RuleRun } from "@/server/services/diagnostics/schemas";

/** The name and dot of each status. */
export const RUN_STATUS: Record<RuleRun["status"], { word: string; color: string; hollow?: boolean }> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  running: { word: "Running", color: "var(--severity-low)", hollow: true },
  completed: { word: "Completed", color: "var(--state-ok)" },
  skipped: { word: "Skipped", color: "var(--severity-info)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

export function RunStatus({ status }: { status: RuleRun["status"] }) {
  const { word, color, hollow } = RUN_STATUS[status];
  return (
    <Dot color={color} hollow={hollow ?? false}>
      {word}
    </Dot>
  );
}
