"use client";
import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { NotificationRule } from "@/server/services/notifications/schemas";
import { Severity } from "../../../_components/findings/severity";
import { type RuleChange, RuleControls } from "../../_components/rule-controls";
import { NOTICE_WORDS } from "./notice-words";

type Options = {
  projectId: string;
  connectionName: (id: string) => string;
  ruleName: (id: string) => string;
  /** For readers who may change rules. */
  change: RuleChange<NotificationRule> | undefined;
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
    header: "Minimum severity",
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
    header: "Minimum conversations",
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
    cell: ({ row }) => <Controls projectId={projectId} rule={row.original} change={change} />,
  },
];

type ControlsProps = Pick<Options, "projectId" | "change"> & { rule: NotificationRule };

function Controls({ projectId, rule, change }: ControlsProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const update = useMutation(
    trpc.notificationRules.update.mutationOptions({
      onSuccess: ({ notificationRule }) => {
        void queries.invalidateQueries({ queryKey: trpc.notificationRules.list.pathKey() });
        notifications.show({
          message: `Turned ${notificationRule.enabled ? "on" : "off"} “${notificationRule.name}”.`,
        });
      },
      onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
    }),
  );
  return (
    <RuleControls
      rule={rule}
      change={change}
      isPending={update.isPending}
      onSwitch={(enabled) => update.mutate({ projectId, notificationRuleId: rule.id, enabled })}
    />
  );
}
