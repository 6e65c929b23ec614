import { Dot } from "@/app/_components/values/dot";
import { formatCount, plural } from "@/app/_lib/format";
import type { Deletion } from "@/server/services/deletion/schemas";

export const SCOPE_WORDS: Record<Deletion["scope"], string> = {
  conversation: "One conversation",
  user: "A user’s data",
  project: "The project",
  retention: "Data past its retention",
};

const STATUS: Record<Deletion["status"], { word: string; color: string; hollow: boolean }> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  running: { word: "Running", color: "var(--severity-low)", hollow: true },
  completed: { word: "Complete", color: "var(--state-ok)", hollow: false },
};

export function DeletionStatus({ deletion }: { deletion: Deletion }) {
  if (deletion.failedJobId !== null) return <Dot color="var(--severity-critical)">Stalled</Dot>;
  const { word, color, hollow } = STATUS[deletion.status];
  return (
    <Dot color={color} hollow={hollow}>
      {word}
    </Dot>
  );
}

/** Who requested it: a person or key by name, everything else by its kind. */
export function requestedBy({ actorKind, actorName, actorId, scope }: Deletion): string {
  if (scope === "retention") return "Retention";
  const called = actorName ?? actorId;
  switch (actorKind) {
    case "user":
      return called ?? "A person";
    case "apiKey":
      return `Key ${called ?? ""}`.trim();
    case "job":
      return `Job ${called ?? ""}`.trim();
    case "operator":
      return "Operator";
  }
}

/** The progress: conversations deleted, of how many if known. */
export function deletionProgress({ counts, expected, status }: Deletion): string {
  const gone = counts.conversations ?? 0;
  return status !== "completed" && expected !== null
    ? `${formatCount(gone)} of ${plural(expected, "conversation")}`
    : plural(gone, "conversation");
}

/** Returns whether it is still in progress. */
export const isOpen = ({ status, failedJobId }: Deletion) => status !== "completed" && failedJobId === null;
