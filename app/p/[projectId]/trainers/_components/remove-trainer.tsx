"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Trainer } from "@/server/services/trainers/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { trainer: Trainer | null; onClose: () => void };

/** Asks before a trainer is removed: its key stops working, and its files can no longer be reached from here. */
export function RemoveTrainer({ trainer, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.trainers.remove.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Removed “${trainer?.name}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.trainers.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={trainer}
      onClose={onClose}
      title={({ name }) => `Remove “${name}”?`}
      says={({ jobsRunning }) =>
        `Its key stops working immediately.${jobsRunning > 0 ? ` ${plural(jobsRunning, "training")} on it can no longer be followed.` : ""} The files of its checkpoints stay on its machine and can no longer be read from here.`
      }
      action="Remove trainer"
      keep="Keep it"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ trainerId: id })}
    />
  );
}
