"use client";
import { Button } from "@mantine/core";
import { IconCoin, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { editAndDelete } from "@/app/_components/data-table/edit-and-delete";
import { ListPage } from "@/app/_components/data-table/list-page";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { ListedBudget } from "@/server/services/gateway/budgets/schemas";
import { useMay } from "../../_components/access/membership";
import { BudgetForm } from "./budget-form";
import { BudgetPeek } from "./budget-peek";
import { COLUMNS } from "./columns";
import { DeleteBudget } from "./delete-budget";
import { budgetName } from "./words";

/** What calls of models may cost a day, and what they have cost today. */
export function Budgets({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("model-pricing:write");
  const [edited, setEdited] = useState<ListedBudget | "new" | null>(null);
  const [deleted, setDeleted] = useState<ListedBudget | null>(null);
  const [, setView] = useListView();
  const list = useInfiniteQuery(trpc.gatewayBudgets.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  const rows = list.data?.pages.flatMap((page) => page.budgets) ?? [];
  const offered = may ? editAndDelete<ListedBudget>(setEdited, setDeleted) : [];
  const add = may ? (
    <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
      New budget
    </Button>
  ) : null;
  return (
    <ListPage
      title="Gateway budgets"
      buttons={add}
      list={list}
      what="budget"
      columns={COLUMNS}
      rows={rows}
      rowId={({ id }) => id}
      rowName={budgetName}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      minWidth={340}
      actions={offered}
      peek={({ id, row, close, act }) => (
        <BudgetPeek
          key={id}
          projectId={projectId}
          budgetId={id}
          listed={row}
          actions={offered}
          onAct={act}
          onClose={close}
        />
      )}
      empty={
        <EmptyState icon={IconCoin} title="No budgets yet" action={add}>
          A budget limits what calls of connected models may cost a day: all of the project, those of one key, or those
          of each user. A call that might cost more than is left is refused before it is sent.
        </EmptyState>
      }
    >
      <BudgetForm projectId={projectId} budget={edited} existing={rows} onClose={() => setEdited(null)} />
      <DeleteBudget
        projectId={projectId}
        budget={deleted}
        onDeleted={() => void setView({ peek: null })}
        onClose={() => setDeleted(null)}
      />
    </ListPage>
  );
}
