import { Progress, Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Money } from "@/app/_components/values/money";
import { formatUsd, plural } from "@/app/_lib/format";
import type { ListedBudget } from "@/server/services/gateway/budgets/schemas";
import { budgetName, ofBudget } from "./words";

function Spent({ budget }: { budget: ListedBudget }) {
  const share = budget.spentUsd / budget.dailyUsd;
  return (
    <>
      <Money usd={budget.spentUsd} />
      {budget.users ? (
        <Text span size="xs" c="dimmed">
          {" "}
          the most of {plural(budget.users, "user")}
        </Text>
      ) : null}
      <Progress
        size={3}
        mt={3}
        value={Math.min(100, 100 * share)}
        color={share >= 1 ? "red" : "var(--mantine-primary-color-filled)"}
        aria-label={`Spent of the budget of ${ofBudget(budget)}`}
      />
    </>
  );
}

export const COLUMNS: ListColumn<ListedBudget>[] = [
  {
    id: "of",
    header: "Budget of",
    accessorFn: budgetName,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{budgetName(original)}</b>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {formatUsd(original.spentUsd)} of {formatUsd(original.dailyUsd)} today
        </Text>
      </>
    ),
  },
  {
    id: "spent",
    header: "Spent today",
    accessorFn: ({ spentUsd }) => spentUsd,
    meta: { width: "14rem", roomy: true },
    cell: ({ row }) => <Spent budget={row.original} />,
  },
  {
    id: "daily",
    header: "A day",
    accessorFn: ({ dailyUsd }) => dailyUsd,
    meta: { width: "8rem", align: "end", roomy: true },
    cell: ({ row }) => <Money usd={row.original.dailyUsd} />,
  },
  {
    id: "updated",
    header: "Changed",
    accessorFn: ({ updatedAt }) => updatedAt,
    meta: { width: "7rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
