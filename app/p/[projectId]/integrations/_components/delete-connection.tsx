"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Connection } from "@/server/services/connections/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; connection: Connection | null; onClose: () => void };

/** Irreversible: the secret is stored nowhere else. */
export function DeleteConnection({ projectId, connection, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.connections.delete.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.connections.pathKey() });
        notifications.show({ message: `Deleted ${quoted(connection?.name ?? "")}` });
        onClose();
      },
    }),
  );
  return (
    <ConfirmDialog
      subject={connection}
      onClose={onClose}
      title={({ name }) => `Delete ${quoted(name)}?`}
      says={({ secretSet }) =>
        `Anything that uses this connection stops working.${secretSet ? " Its secret is deleted with it and has to be entered again for a new connection." : ""} This can’t be undone.`
      }
      action="Delete connection"
      keep="Keep it"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, connectionId: id })}
    />
  );
}
