"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Alert } from "@/server/services/notifications/alerts/schemas";
import { type RuleChange, RuleControls } from "../../integrations/_components/rule-controls";

type Props = { projectId: string; alert: Alert; change: RuleChange<Alert> | undefined };

/** The switch and the menu of an alert. */
export function AlertControls({ projectId, alert, change }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const update = useMutation(
    trpc.alerts.update.mutationOptions({
      onSuccess: ({ alert: { enabled, name } }) => {
        void queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() });
        notifications.show({ message: `Turned ${enabled ? "on" : "off"} “${name}”` });
      },
      onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
    }),
  );
  return (
    <RuleControls
      rule={alert}
      change={change}
      isPending={update.isPending}
      onSwitch={(enabled) => update.mutate({ projectId, alertId: alert.id, enabled })}
    />
  );
}
