"use client";
import { ActionIcon, Anchor, Table, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { Ago } from "@/app/_components/values/ago";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { actionWords, doorWords } from "../../_components/audit/audit-words";
import { Change } from "./change";
import { targetHref } from "./view";

export const COLUMNS = [
  { label: "When" },
  { label: "Who", roomy: true },
  { label: "What" },
  { label: "On", roomy: true },
  { label: "By way of", roomy: true },
  { label: null },
];

const KINDS = { user: "Person", apiKey: "Key", job: "Job", operator: "Operator", visitor: "Visitor" } as const;

/** A person by their address alone, everything else with its kind. */
function actorLabel({ kind, name, id }: AuditEntry["actor"]) {
  const called = name ?? id;
  return kind === "user" && called !== null ? called : [KINDS[kind], called].filter(Boolean).join(" ");
}

type Props = {
  projectId: string;
  entry: AuditEntry;
  index: number;
  open: boolean;
  onToggle: () => void;
  onActor: () => void;
};

export function AuditRow({ projectId, entry, index, open, onToggle, onActor }: Props) {
  const { actor, target, action, door, createdAt } = entry;
  const who = actorLabel(actor);
  const what = actionWords(action);
  const href = target && targetHref(projectId, target);
  return (
    <>
      <ListRow index={index} open={open} onOpen={onToggle}>
        <Table.Td>
          <Ago at={createdAt} />
        </Table.Td>
        <Table.Td maw={260} {...ROOMY}>
          {actor.id === null ? (
            who
          ) : (
            <UnstyledButton fz="sm" maw="100%" className="clip" onClick={onActor} title={`Only what ${who} did`}>
              {who}
            </UnstyledButton>
          )}
        </Table.Td>
        <Table.Td maw={0} w={{ base: "100%", sm: "30%" }}>
          {what}
          <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
            {who}
          </Text>
        </Table.Td>
        <Table.Td maw={260} {...ROOMY}>
          {target?.type === "project" ? (
            "This project"
          ) : (
            <div className={target?.name === null ? "mono clip" : "clip"} title={target?.id}>
              {href ? (
                <Anchor component={Link} href={href} prefetch={false} fz="inherit">
                  {target.name ?? target.id}
                </Anchor>
              ) : (
                (target?.name ?? target?.id)
              )}
            </div>
          )}
        </Table.Td>
        <Table.Td {...ROOMY}>{doorWords(door)}</Table.Td>
        <Table.Td ta="end">
          <ActionIcon
            size="sm"
            aria-expanded={open}
            aria-label={`${open ? "Hide" : "Show"} what changed: ${what}`}
            onClick={onToggle}
          >
            {open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
          </ActionIcon>
        </Table.Td>
      </ListRow>
      {open ? (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS.length}>
            <Change entry={entry} href={href} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  );
}
