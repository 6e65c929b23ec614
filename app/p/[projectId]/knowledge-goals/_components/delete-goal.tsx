"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { KnowledgeGoal } from "@/server/services/datasets/goals/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; goal: KnowledgeGoal | null; onDeleted: () => void; onClose: () => void };

/** Asks before a knowledge goal is deleted. */
export function DeleteGoal({ projectId, goal, onDeleted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.knowledgeGoals.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted “${goal?.title}”` });
        onDeleted();
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.knowledgeGoals.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={goal}
      onClose={onClose}
      title={({ title }) => `Delete “${title}”?`}
      says={() =>
        "Nothing more is collected for it, and Datasets limited to it collect nothing. What was already collected stays."
      }
      action="Delete goal"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, knowledgeGoalId: id })}
    />
  );
}
