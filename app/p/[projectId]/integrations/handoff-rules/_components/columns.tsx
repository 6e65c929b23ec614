"use client";
import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { HandoffRule } from "@/server/services/diagnostics/work-items/schemas";
import { Severity } from "../../../_components/findings/severity";
import { type RuleChange, RuleControls } from "../../_components/rule-controls";

type Options = {
  projectId: string;
  connectionName: (id: string) => string;
  ruleName: (id: string) => string;
  /** For readers who may change rules. */
  change: RuleChange<HandoffRule> | undefined;
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
    cell: ({ row }) => <Controls projectId={projectId} rule={row.original} change={change} />,
  },
];

type ControlsProps = Pick<Options, "projectId" | "change"> & { rule: HandoffRule };

function Controls({ projectId, rule, change }: ControlsProps) {
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
    <RuleControls
      rule={rule}
      change={change}
      isPending={update.isPending}
      onSwitch={(enabled) => update.mutate({ projectId, handoffRuleId: rule.id, enabled })}
    />
  );
}
