import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Alert } from "@/server/services/notifications/alerts/schemas";
import type { sentOf } from "./form-values";

type Props = { projectId: string; alert: Alert | null; onClose: () => void };

/** Returns a function that creates an alert or saves the edited one. */
export function useSaveAlert({ projectId, alert, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ alert: { name } }: { alert: { name: string } }) => {
      void queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() });
      notifications.show({ message: `${alert ? "Saved" : "Created"} “${name}”` });
      onClose();
    },
  };
  const create = useMutation(trpc.alerts.create.mutationOptions(after));
  const update = useMutation(trpc.alerts.update.mutationOptions(after));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    save: (values: ReturnType<typeof sentOf>) =>
      alert ? update.mutate({ projectId, alertId: alert.id, ...values }) : create.mutate({ projectId, ...values }),
  };
}
