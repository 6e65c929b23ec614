"use client";
import { ActionIcon, Group, Menu, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { HandoffRule } from "@/server/services/diagnostics/work-items/schemas";
import { Severity } from "../../../_components/findings/severity";

type Options = {
  projectId: string;
  connectionName: (id: string) => string;
  ruleName: (id: string) => string;
  /** For readers who may change rules. */
  change: { onEdit: (rule: HandoffRule) => void; onDelete: (rule: HandoffRule) => void } | undefined;
};

const usedWords = ({ usedToday, dailyLimit }: HandoffRule) => `${usedToday} of ${dailyLimit}`;

export const handoffRuleColumns = ({
  projectId,
  connectionName,
  ruleName,
  change,
}: Options): ListColumn<HandoffRule>[] => [
  {
    id: "name",
    header: "Name",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{original.name}</b>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          → {connectionName(original.connectionId)}, {usedWords(original)} today
        </Text>
      </>
    ),
  },
  {
    id: "tracker",
    header: "Tracker",
    meta: { roomy: true },
    cell: ({ row: { original } }) => (
      <>
        {connectionName(original.connectionId)}
        {original.destination === null ? null : (
          <Text size="xs" c="dimmed">
            {original.destination}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "severity",
    header: "From severity",
    meta: { roomy: true },
    cell: ({ row }) => <Severity value={row.original.minSeverity} />,
  },
  {
    id: "rules",
    header: "Rules",
    meta: { roomy: true },
    cell: ({ row }) => row.original.ruleIds.map(ruleName).join(", ") || "All",
  },
  {
    id: "conversations",
    header: "From conversations",
    meta: { roomy: true, align: "end" },
    cell: ({ row }) => row.original.minConversations,
  },
  {
    id: "confirmed",
    header: "Findings",
    meta: { roomy: true },
    cell: ({ row }) => (row.original.confirmedOnly ? "Only confirmed" : "Not dismissed"),
  },
  {
    id: "used",
    header: "Tickets today",
    meta: { roomy: true, align: "end" },
    cell: ({ row }) => <span title="Today in UTC">{usedWords(row.original)}</span>,
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true, label: "Actions" },
    cell: ({ row: { original } }) => (
      <Group gap={8} justify="flex-end" wrap="nowrap">
        <OnOff projectId={projectId} rule={original} disabled={change === undefined} />
        {change ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`More for ${original.name}`}>
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => change.onEdit(original)}>
                Edit…
              </Menu.Item>
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() => change.onDelete(original)}
              >
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </Group>
    ),
  },
];

type OnOffProps = { projectId: string; rule: HandoffRule; disabled: boolean };

function OnOff({ projectId, rule, disabled }: OnOffProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const update = useMutation(
    trpc.handoffRules.update.mutationOptions({
      onSuccess: ({ handoffRule }) => {
        void queries.invalidateQueries({ queryKey: trpc.handoffRules.list.pathKey() });
        notifications.show({ message: `${handoffRule.enabled ? "Resumed" : "Paused"} “${handoffRule.name}”.` });
      },
      onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
    }),
  );
  return (
    <Switch
      size="xs"
      checked={rule.enabled}
      disabled={disabled || update.isPending}
      aria-label={`${rule.name} is on`}
      onChange={(event) => update.mutate({ projectId, handoffRuleId: rule.id, enabled: event.currentTarget.checked })}
    />
  );
}
