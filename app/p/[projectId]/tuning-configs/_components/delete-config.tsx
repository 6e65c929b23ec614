"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; config: TuningConfig | null; onClose: () => void; onDeleted: () => void };

/** Asks before a configuration is deleted; its runs remain. */
export function DeleteConfig({ projectId, config, onClose, onDeleted }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.tuningConfigs.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted “${config?.name}”` });
        onDeleted();
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.tuningConfigs.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={config}
      onClose={onClose}
      title={({ name }) => `Delete “${name}”?`}
      says={() =>
        "It starts no more runs. Its past runs and their checkpoints remain; its decisions are deleted with it."
      }
      action="Delete configuration"
      keep="Keep it"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, configId: id })}
    />
  );
}
