import { Box, Text, UnstyledButton } from "@mantine/core";
import type { Fold, ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { actionWords, doorWords } from "../../_components/audit/audit-words";
import { ThingId } from "../../_components/things/thing-id";
import { calledOf, ThingName } from "../../_components/things/thing-name";

const KINDS = { user: "Person", apiKey: "Key", job: "Job", operator: "Operator", visitor: "Visitor" } as const;

/** A person by name or id alone, everything else with its kind. */
function actorLabel({ kind, name, id }: AuditEntry["actor"]) {
  const called = name ?? id;
  return kind === "user" && called !== null ? called : [KINDS[kind], called].filter(Boolean).join(" ");
}

/** `onActor` narrows the log to a person or key. */
export const columnsOf = (projectId: string, onActor: (actorId: string | null) => void): ListColumn<AuditEntry>[] => [
  {
    id: "when",
    header: "When",
    meta: { width: "6.5rem", sort: "server" },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  {
    id: "who",
    header: "Who",
    meta: { width: "15rem", roomy: true },
    cell: ({ row: { original } }) => {
      const who = actorLabel(original.actor);
      if (original.actor.id === null) return who;
      return (
        <UnstyledButton
          fz="sm"
          maw="100%"
          className="clip"
          onClick={() => onActor(original.actor.id)}
          title={`Only what ${who} did`}
        >
          {who}
        </UnstyledButton>
      );
    },
  },
  {
    id: "what",
    header: "What",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <div className="clip">
          <What projectId={projectId} entry={original} />
        </div>
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {actorLabel(original.actor)}
        </Text>
        <Box visibleFrom="sm">{idBelow(original)}</Box>
      </>
    ),
  },
  {
    id: "door",
    header: "Via",
    meta: { width: "8rem", roomy: true, aside: true },
    cell: ({ row }) => doorWords(row.original.door),
  },
];

/** What was done to what, in a sentence: "Created the Dataset Refunds". */
export function What({ projectId, entry: { action, target } }: { projectId: string; entry: AuditEntry }) {
  return (
    <>
      {actionWords(action)}
      {target === null || target.type === "project" ? null : (
        <>
          {" "}
          <ThingName projectId={projectId} thing={target} />
        </>
      )}
    </>
  );
}

/** The object's id, where the sentence has its name instead. */
const idBelow = ({ target }: AuditEntry) =>
  target === null || target.type === "project" || calledOf(target) === target.id ? null : <ThingId id={target.id} />;

/** Changes of access and of what data is kept: each has its own line. */
const NEVER_FOLDED: ReadonlySet<string> = new Set([
  "account",
  "apiKeys",
  "connections",
  "deletions",
  "gatewayRecording",
  "invitations",
  "masking",
  "members",
  "projects",
  "retention",
  "secrets",
  "trainers",
]);

/** Folds the same operation by the same actor. */
export const REPEATED: Fold<AuditEntry> = {
  of: ({ action, actor: { kind, id } }) =>
    NEVER_FOLDED.has(action.split(".")[0] ?? "") ? null : `${action} ${kind} ${id}`,
  words: (entries) => {
    const [first] = entries;
    if (first === undefined) return null;
    return `${actionWords(first.action)}: ${plural(entries.length, "time")} in a row, by ${actorLabel(first.actor)}`;
  },
  at: ({ createdAt }) => createdAt,
};
