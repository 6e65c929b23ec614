"use client";
import { DataList, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ListAction } from "@/app/_components/data-table/types";
import { PeekActions } from "@/app/_components/layout/peek-actions";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { PeekUnread } from "@/app/_components/layout/peek-unread";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { Money } from "@/app/_components/values/money";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ListedBudget } from "@/server/services/gateway/budgets/schemas";
import { budgetName } from "./words";

type Props = {
  projectId: string;
  budgetId: string;
  /** As in the list, if it is among the loaded rows. */
  listed: ListedBudget | undefined;
  actions: readonly ListAction<ListedBudget>[];
  onAct: (actionId: string, budget: ListedBudget) => void;
  onClose: () => void;
};

/** A budget in full, with its actions. */
export function BudgetPeek({ projectId, budgetId, listed, actions, onAct, onClose }: Props) {
  const trpc = useTRPC();
  const one = useQuery(
    trpc.gatewayBudgets.get.queryOptions({ projectId, gatewayBudgetId: budgetId }, { enabled: !listed }),
  );
  const budget = listed ?? one.data?.budget;
  return (
    <PeekPanel label="Budget" title={budget ? budgetName(budget) : "Budget"} onClose={onClose}>
      {budget ? (
        <Stack p="md" gap="md">
          <PeekActions row={budget} actions={actions} onAct={onAct} />
          <DataList orientation="horizontal" gap="xs">
            <Fact label="A day">
              <Money usd={budget.dailyUsd} />
            </Fact>
            <Fact label={budget.users === null ? "Spent today" : "Most by a user"}>
              <Money usd={budget.spentUsd} />
            </Fact>
            {budget.users === null ? null : <Fact label="Users today">{formatCount(budget.users)}</Fact>}
            <Fact label="Starts again">
              <ExactTime at={budget.resetsAt} />
            </Fact>
            <Fact label="Changed">
              <ExactTime at={budget.updatedAt} />
            </Fact>
            <Fact label="ID">
              <IdText id={budget.id} />
            </Fact>
          </DataList>
          <Text size="sm" c="dimmed">
            A call reserves the most that it may cost, and gives back what it did not use. One that does not fit gets
            the status 402, “budget_exceeded”. Calls must limit their answers, or name an alias that does.
          </Text>
        </Stack>
      ) : (
        <PeekUnread what="budget" query={one} />
      )}
    </PeekPanel>
  );
}
