import { Progress } from "@mantine/core";
import Link from "next/link";
import { formatPercent, formatUsd } from "@/app/_lib/format";
import { alertHref } from "../../alerts/_components/view";
import type { Budget } from "./budgets";
import classes from "./costs.module.css";

/** The limits of costs, each with what is spent of it; those of a day's calls in all are lines in the chart, too. */
export const BudgetList = ({ projectId, budgets }: { projectId: string; budgets: readonly Budget[] }) =>
  budgets.length === 0 ? null : (
    <ul className={classes.budgets} aria-label="Budgets">
      {budgets.map((budget) => (
        <li key={budget.id}>
          <Link href={alertHref(projectId, budget.id)} className="clip" title={budget.words}>
            {budget.words}
          </Link>
          <Spent {...budget} />
        </li>
      ))}
    </ul>
  );

function Spent({ spent, limit, state, words }: Budget) {
  if (spent === null) return <span className="tabular">{formatUsd(limit)}</span>;
  const share = spent / limit;
  return (
    <>
      <Progress
        value={Math.min(100, share * 100)}
        color={state === "firing" || share >= 1 ? "red" : "var(--mantine-primary-color-filled)"}
        size="sm"
        aria-label={`${words}, spent of its limit`}
      />
      <span className="tabular">
        {formatUsd(spent)} of {formatUsd(limit)}, {formatPercent(share)}
      </span>
    </>
  );
}
