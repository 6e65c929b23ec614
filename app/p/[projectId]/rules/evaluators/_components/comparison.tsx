import { Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageSection } from "@/app/_components/layout/page-body";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { formatCount, formatPercent, plural, UNKNOWN } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import {
  type Agreement,
  type EvaluatorComparison,
  RESULTS_COMPARED,
} from "@/server/services/diagnostics/evaluators/schemas";
import { pageHref } from "../../../_components/shell/pages";
import classes from "./comparison.module.css";

type Props = { projectId: string; name: string };

/** Writes a number with two digits, and no minus before a zero. */
const hundredths = (value: number) => (Math.round(value * 100) / 100 + 0).toFixed(2);

/** How far an evaluator agrees with each Rule, and what only it finds. */
export function Comparison({ projectId, name }: Props) {
  const trpc = useTRPC();
  const query = useQuery(trpc.evaluators.compare.queryOptions({ projectId, name }));
  if (query.data) return <Compared projectId={projectId} comparison={query.data.comparison} />;
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  return <TableSkeleton rows={6} label="Comparing" />;
}

function Compared({ projectId, comparison }: { projectId: string; comparison: EvaluatorComparison }) {
  const { conversations, failed, sampled, rules, missed } = comparison;
  return (
    <>
      <PageSection title="Beside the Rules" wide>
        <p className={classes.quiet}>
          It judged {plural(conversations, "conversation")}
          {sampled ? ` in its newest ${formatCount(RESULTS_COMPARED)} results` : ""}, {formatCount(failed)} of them bad.
          Each row counts those that the Rule has read, too. Kappa is agreement beyond chance: 0 is what chance alone
          brings, 1 is complete.
        </p>
        {rules.length === 0 ? (
          <p>No Rule has read any of them.</p>
        ) : (
          <TableScroll minWidth={820} label="Evaluator and Rules">
            <Table className={classes.table} aria-label="Evaluator and Rules">
              <Table.Thead>
                <Table.Tr>
                  {[
                    "Rule",
                    "Kappa",
                    "Agree",
                    "Judged by both",
                    "Both bad",
                    "Only evaluator",
                    "Only Rule",
                    "Neither",
                  ].map((title) => (
                    <Table.Th key={title} scope="col">
                      {title}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rules.map((row) => (
                  <Row key={row.rule.id} projectId={projectId} row={row} />
                ))}
              </Table.Tbody>
            </Table>
          </TableScroll>
        )}
      </PageSection>
      <PageSection title="Missed by every Rule">
        {missed.count === 0 ? (
          <p className={classes.quiet}>
            In each bad conversation that Rules have read, a Rule found something as well.
          </p>
        ) : (
          <>
            <p className={classes.quiet}>
              In {plural(missed.count, "bad conversation")} no Rule found anything
              {missed.count > missed.conversationIds.length ? "; the newest are" : ""}:
            </p>
            <ul className={classes.missed}>
              {missed.conversationIds.map((id) => (
                <li key={id}>
                  <Link href={`${pageHref(projectId, "conversations")}/${encodeURIComponent(id)}`} className="mono">
                    {id}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </PageSection>
    </>
  );
}

function Row({ projectId, row }: { projectId: string; row: Agreement }) {
  const { rule, kappa, agreement, conversations, both, onlyEvaluator, onlyRule, neither } = row;
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.rule}>
        <Link href={`${pageHref(projectId, "rules")}/${encodeURIComponent(rule.id)}`}>{rule.name}</Link>
      </Table.Th>
      <Table.Td>
        {kappa === null ? (
          <span title="One of the two always says the same.">{UNKNOWN}</span>
        ) : (
          <>
            {hundredths(kappa.value)}
            <span className={classes.quiet} title="95% interval">
              {hundredths(kappa.low)} to {hundredths(kappa.high)}
            </span>
          </>
        )}
      </Table.Td>
      <Table.Td>{formatPercent(agreement)}</Table.Td>
      {Object.entries({ conversations, both, onlyEvaluator, onlyRule, neither }).map(([part, count]) => (
        <Table.Td key={part}>{formatCount(count)}</Table.Td>
      ))}
    </Table.Tr>
  );
}
