"use client";
import { ActionIcon, Group, Menu, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { NotificationRule } from "@/server/services/notifications/schemas";
import { Severity } from "../../../_components/findings/severity";
import { NOTICE_WORDS } from "./notice-words";

type Options = {
  projectId: string;
  connectionName: (id: string) => string;
  ruleName: (id: string) => string;
  /** For readers who may change rules. */
  change: { onEdit: (rule: NotificationRule) => void; onDelete: (rule: NotificationRule) => void } | undefined;
};

const kindsOf = ({ kinds }: NotificationRule) => kinds.map((kind) => NOTICE_WORDS[kind]).join(", ");

export const notificationColumns = ({
  projectId,
  connectionName,
  ruleName,
  change,
}: Options): ListColumn<NotificationRule>[] => [
  {
    id: "name",
    header: "Name",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{original.name}</b>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {kindsOf(original)} → {connectionName(original.connectionId)}
        </Text>
      </>
    ),
  },
  { id: "kinds", header: "Announces", meta: { roomy: true }, cell: ({ row }) => kindsOf(row.original) },
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
    id: "connection",
    header: "Webhook",
    meta: { roomy: true },
    cell: ({ row }) => connectionName(row.original.connectionId),
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

type OnOffProps = { projectId: string; rule: NotificationRule; disabled: boolean };

function OnOff({ projectId, rule, disabled }: OnOffProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const update = useMutation(
    trpc.notifications.updateRule.mutationOptions({
      onSuccess: ({ notificationRule }) => {
        void queries.invalidateQueries({ queryKey: trpc.notifications.rules.pathKey() });
        notifications.show({
          message: `Turned ${notificationRule.enabled ? "on" : "off"} “${notificationRule.name}”.`,
        });
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
      onChange={(event) =>
        update.mutate({ projectId, notificationRuleId: rule.id, enabled: event.currentTarget.checked })
      }
    />
  );
}
