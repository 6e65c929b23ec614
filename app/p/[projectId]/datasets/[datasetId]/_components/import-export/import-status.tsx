import { Dot } from "@/app/_components/values/dot";
import type { DatasetImport } from "@/server/services/datasets/imports/schemas";

type State = { word: string; color: string; hollow?: boolean };

const STATUS: Record<DatasetImport["status"], State> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  validating: { word: "Checking", color: "var(--severity-low)", hollow: true },
  storing: { word: "Storing", color: "var(--severity-low)", hollow: true },
  cancelling: { word: "Cancelling", color: "var(--severity-info)", hollow: true },
  completed: { word: "Completed", color: "var(--state-ok)" },
  completed_with_errors: { word: "Completed, rows rejected", color: "var(--severity-medium)" },
  cancelled: { word: "Cancelled", color: "var(--severity-info)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

export function ImportStatus({ shown }: { shown: DatasetImport }) {
  const { word, color, hollow } = STATUS[shown.status];
  return (
    <Dot color={color} hollow={hollow ?? false}>
      {word}
    </Dot>
  );
}
