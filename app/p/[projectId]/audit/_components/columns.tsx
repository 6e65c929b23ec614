import { Anchor, Text, UnstyledButton } from "@mantine/core";
import Link from "next/link";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { actionWords, doorWords } from "../../_components/audit/audit-words";
import { targetHref } from "./view";

const KINDS = { user: "Person", apiKey: "Key", job: "Job", operator: "Operator", visitor: "Visitor" } as const;

/** A person by their address alone, everything else with its kind. */
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
        {actionWords(original.action)}
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {actorLabel(original.actor)}
        </Text>
      </>
    ),
  },
  {
    id: "on",
    header: "Object",
    meta: { width: "16rem", roomy: true, aside: true },
    cell: ({ row }) => <Target projectId={projectId} target={row.original.target} />,
  },
  {
    id: "door",
    header: "Via",
    meta: { width: "8rem", roomy: true, aside: true },
    cell: ({ row }) => doorWords(row.original.door),
  },
];

function Target({ projectId, target }: { projectId: string; target: AuditEntry["target"] }) {
  if (target === null) return null;
  if (target.type === "project") return "This project";
  const href = targetHref(projectId, target);
  const name = target.name ?? target.id;
  return (
    <div className={target.name === null ? "mono clip" : "clip"} title={target.id}>
      {href ? (
        <Anchor component={Link} href={href} prefetch={false} fz="inherit">
          {name}
        </Anchor>
      ) : (
        name
      )}
    </div>
  );
}
