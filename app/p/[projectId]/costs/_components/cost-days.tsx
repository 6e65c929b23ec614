import { Table } from "@mantine/core";
import { Money } from "@/app/_components/money";
import { TableScroll } from "@/app/_components/table-scroll";
import { formatDay } from "@/app/_lib/format";
import type { Costs } from "@/server/services/costs/schemas";
import classes from "./costs.module.css";
import { groupName } from "./view";

/** The picture in numbers: a row for each day on which something has a known cost, the newest first. */
export function CostDays({ costs: { days, series, totals, groupBy } }: { costs: Costs }) {
  const rows = days
    .map((day, index) => ({
      day,
      total: totals[index] ?? null,
      values: series.map(({ values }) => values[index] ?? null),
    }))
    .filter(({ total }) => total !== null)
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
                // biome-ignore lint/suspicious/noArrayIndexKey: columns of one answer, in its order
                <Table.Th key={index} ta="end">
                  <div className={classes.columnName} title={groupName(groupBy, one)}>
                    {groupName(groupBy, one)}
                  </div>
                </Table.Th>
              ))}
              <Table.Th ta="end">Known cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ day, total, values }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row" className={classes.day}>
                  {formatDay(day, 0)}
                </Table.Th>
                {values.map((value, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns of one answer, in its order
                  <Table.Td key={index} ta="end">
                    <Money usd={value} />
                  </Table.Td>
                ))}
                <Table.Td ta="end">
                  <Money usd={total} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </details>
  );
}
