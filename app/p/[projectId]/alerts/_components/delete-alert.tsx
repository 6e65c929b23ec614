"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Alert } from "@/server/services/notifications/alerts/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; alert: Alert | null; onDeleted: () => void; onClose: () => void };

/** Asks before an alert is deleted. */
export function DeleteAlert({ projectId, alert, onDeleted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.alerts.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted “${alert?.name}”` });
        onDeleted();
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={alert}
      onClose={onClose}
      title={({ name }) => `Delete “${name}”?`}
      says={() => "Its history is deleted with it. To keep it, turn the alert off instead."}
      action="Delete alert"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, alertId: id })}
    />
  );
}
