"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ListedBudget } from "@/server/services/gateway/budgets/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";
import { ofBudget } from "./words";

type Props = { projectId: string; budget: ListedBudget | null; onDeleted: () => void; onClose: () => void };

/** Asks before a budget is deleted. */
export function DeleteBudget({ projectId, budget, onDeleted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.gatewayBudgets.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted the budget of ${budget ? ofBudget(budget) : ""}` });
        onDeleted();
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.gatewayBudgets.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={budget}
      onClose={onClose}
      title={(one) => `Delete the budget of ${ofBudget(one)}?`}
      says={() =>
        "Its calls are no longer limited, and what they have cost today is counted from zero if you add it again."
      }
      action="Delete budget"
      running={remove}
      onConfirm={({ id }) => remove.mutate({ projectId, gatewayBudgetId: id })}
    />
  );
}
