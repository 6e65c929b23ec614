"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { GatewayAlias } from "@/server/services/gateway/aliases/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; alias: GatewayAlias | null; onDeleted: () => void; onClose: () => void };

/** Asks before an alias is deleted. */
export function DeleteAlias({ projectId, alias, onDeleted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.gatewayAliases.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted “${alias?.name}”` });
        onDeleted();
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.gatewayAliases.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={alias}
      onClose={onClose}
      title={({ name }) => `Delete “${name}”?`}
      says={() => "Applications that call it get “not found” within seconds. What was recorded stays."}
      action="Delete alias"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, gatewayAliasId: id })}
    />
  );
}
