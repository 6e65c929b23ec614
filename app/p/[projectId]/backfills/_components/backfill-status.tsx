import { Dot } from "@/app/_components/values/dot";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import type { STATUSES } from "./view";

type State = { word: string; color: string; hollow?: boolean };

export const STATUS: Record<(typeof STATUSES)[number], State> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  scanning: { word: "Scanning", color: "var(--severity-low)", hollow: true },
  processing: { word: "Processing", color: "var(--severity-low)", hollow: true },
  completed: { word: "Completed", color: "var(--state-ok)" },
  completed_with_errors: { word: "Completed with errors", color: "var(--severity-medium)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};
const PAUSED: State = { word: "Paused", color: "var(--severity-info)", hollow: true };
const CANCELLED: State = { word: "Cancelled", color: "var(--severity-info)" };

export function BackfillStatus({ backfill }: { backfill: Backfill }) {
  const { scanStatus, pausedAt, cancelledAt } = backfill;
  const { word, color, hollow } = cancelledAt !== null ? CANCELLED : pausedAt !== null ? PAUSED : STATUS[scanStatus];
  return (
    <Dot color={color} hollow={hollow ?? false}>
      {word}
    </Dot>
  );
}
