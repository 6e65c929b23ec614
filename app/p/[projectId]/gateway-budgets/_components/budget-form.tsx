"use client";
import { Button, Group, Modal, NativeSelect, NumberInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { createGatewayBudgetInput, type ListedBudget } from "@/server/services/gateway/budgets/schemas";
import { useMay } from "../../_components/access/membership";
import { ofBudget } from "./words";

type Props = {
  projectId: string;
  budget: ListedBudget | "new" | null;
  /** There is one of each kind, and one a key. */
  existing: readonly ListedBudget[];
  onClose: () => void;
};

/** Creates a budget, or changes its amount. */
export function BudgetForm({ projectId, budget, existing, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(budget);
  if (budget !== null && budget !== shown) setShown(budget);
  const edited = shown === "new" ? null : shown;
  return (
    <Modal
      opened={budget !== null}
      onClose={onClose}
      title={edited ? `Edit the budget of ${ofBudget(edited)}` : "New budget"}
    >
      <Fields key={edited?.id ?? "new"} projectId={projectId} budget={edited} existing={existing} onClose={onClose} />
    </Modal>
  );
}

/** What a new budget may be of, and how the form names it. */
type Choice = { value: string; label: string };

function useChoices(projectId: string, existing: readonly ListedBudget[]): Choice[] {
  const trpc = useTRPC();
  const mayReadKeys = useMay("project:admin");
  const keys = useInfiniteQuery(
    trpc.apiKeys.list.infiniteQueryOptions({ projectId, limit: 100 }, { ...nextPage, enabled: mayReadKeys }),
  );
  const active = keys.data?.pages.flatMap((page) => page.apiKeys).filter(({ status }) => status === "active") ?? [];
  const taken = new Set(existing.map(({ scope, keyId }) => keyId ?? scope));
  return [
    { value: "project", label: "The project" },
    { value: "user", label: "Each user" },
    ...active.map(({ id, name }) => ({ value: id, label: `Key “${name}”` })),
  ].filter(({ value }) => !taken.has(value));
}

/** Returns the input of a new budget. */
const inputOf = (of: string, dailyUsd: number) =>
  of === "project" || of === "user"
    ? { scope: of as "project" | "user", dailyUsd }
    : { scope: "key" as const, keyId: of, dailyUsd };

function Fields({ projectId, budget, existing, onClose }: Omit<Props, "budget"> & { budget: ListedBudget | null }) {
  const choices = useChoices(projectId, existing);
  const form = useForm<{ of: string; dailyUsd: number | string }>({
    mode: "controlled",
    initialValues: { of: "", dailyUsd: budget?.dailyUsd ?? "" },
    validate: {
      dailyUsd: (value) =>
        createGatewayBudgetInput.shape.dailyUsd.safeParse(value).success ? null : "Enter an amount above zero.",
    },
  });
  const of = form.values.of || choices[0]?.value;
  const { create, update, error, isPending } = useSave(onClose);
  const save = form.onSubmit(({ dailyUsd }) => {
    if (budget) update({ projectId, gatewayBudgetId: budget.id, dailyUsd: Number(dailyUsd) });
    else if (of !== undefined) create({ projectId, ...inputOf(of, Number(dailyUsd)) });
  });
  return (
    <form noValidate onSubmit={save}>
      <Stack gap="md">
        <Refused error={error} />
        {budget ? null : (
          <NativeSelect
            label="Budget of"
            description={
              choices.length === 0
                ? "The project, users and all active keys have one already: edit that."
                : "Of users, each has the whole amount."
            }
            data={choices}
            disabled={choices.length === 0}
            {...form.getInputProps("of")}
            value={of ?? ""}
          />
        )}
        <NumberInput
          label="US dollars a day"
          description="Days are UTC."
          required
          data-autofocus
          prefix="$"
          allowNegative={false}
          decimalScale={6}
          hideControls
          {...form.getInputProps("dailyUsd")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={budget === null && of === undefined}>
            {budget ? "Save budget" : "Create budget"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(onClose: () => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = (message: string) => ({
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: trpc.gatewayBudgets.pathKey() });
      notifications.show({ message });
      onClose();
    },
  });
  const create = useMutation(trpc.gatewayBudgets.create.mutationOptions(after("Created the budget")));
  const update = useMutation(trpc.gatewayBudgets.update.mutationOptions(after("Saved the budget")));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    create: create.mutate,
    update: update.mutate,
  };
}
