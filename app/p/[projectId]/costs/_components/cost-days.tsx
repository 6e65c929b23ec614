import { Table } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { formatDay } from "@/app/_lib/format";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { Costs } from "@/server/services/costs/schemas";
import classes from "./costs.module.css";
import { conversationsHref, dayFrom, groupName } from "./view";

/** The chart's numbers: a row per day with a call, newest first. */
export function CostDays({ projectId, costs }: { projectId: string; costs: Costs }) {
  const { days, series, totals, totalsUnpricedCalls, groupBy } = costs;
  const rows = days
    .map((day, index) => ({
      day,
      total: { usd: totals[index] ?? null, unpriced: totalsUnpricedCalls[index] ?? 0 },
      values: series.map(({ values, unpricedCalls }) => ({
        usd: values[index] ?? null,
        unpriced: unpricedCalls[index] ?? 0,
      })),
    }))
    .filter(({ total }) => total.usd !== null || total.unpriced > 0)
    .reverse();
  if (rows.length === 0) return null;
  return (
    <details className={classes.days}>
      <summary>Numbers by day</summary>
      <TableScroll label="Numbers by day" minWidth={160 + series.length * 110}>
        <Table fz="xs" verticalSpacing={3} aria-label="Costs by day" className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day (UTC)</Table.Th>
              {series.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns of one reply keep their order
                <Table.Th key={index} ta="end">
                  <div className={classes.columnName} title={groupName(groupBy, one)}>
                    {groupName(groupBy, one)}
                  </div>
                </Table.Th>
              ))}
              <Table.Th ta="end">Cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ day, total, values }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row" className={classes.day}>
                  <Link href={conversationsHref(projectId, dayFrom(day))} prefetch={false}>
                    {formatDay(day, 0)}
                  </Link>
                </Table.Th>
                {values.map((value, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns of one reply keep their order
                  <Table.Td key={index} ta="end">
                    <CostTotal {...value} below />
                  </Table.Td>
                ))}
                <Table.Td ta="end">
                  <CostTotal {...total} below />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </details>
  );
}
