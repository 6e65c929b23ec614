import { Dot } from "@/app/_components/values/dot";
import type { BackgroundJob, BackgroundJobStep } from "@/server/services/background-jobs/schemas";

type StateLabel = { word: string; says: string; color: string; hollow?: boolean };

/** Each state's name and meaning. */
export const STATE: Record<BackgroundJob["state"], StateLabel> = {
  queued: { word: "Queued", says: "Waiting for its turn", color: "var(--severity-info)", hollow: true },
  running: { word: "Running", says: "Running now", color: "var(--severity-low)", hollow: true },
  retrying: {
    word: "Retrying",
    says: "An attempt failed; it is retried automatically",
    color: "var(--severity-medium)",
    hollow: true,
  },
  sleeping: { word: "Sleeping", says: "Resumes at a set time", color: "var(--severity-info)", hollow: true },
  waiting: {
    word: "Waiting",
    says: "Waiting for an event or another job",
    color: "var(--severity-info)",
    hollow: true,
  },
  completed: { word: "Done", says: "Completed", color: "var(--state-ok)" },
  failed: { word: "Failed", says: "No retries left; it can be replayed", color: "var(--severity-critical)" },
  cancelled: { word: "Cancelled", says: "Someone cancelled it; it can be replayed", color: "var(--severity-info)" },
};

export function JobState({ state }: { state: BackgroundJob["state"] | BackgroundJobStep["state"] }) {
  const { word, says, color, hollow } = STATE[state];
  return (
    <Dot color={color} hollow={hollow ?? false} title={says}>
      {word}
    </Dot>
  );
}
