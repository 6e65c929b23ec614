import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn, ListQuery } from "@/app/_components/data-table/types";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { formatDay } from "@/app/_lib/format";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { Costs } from "@/server/services/costs/schemas";
import classes from "./costs.module.css";
import { conversationsHref, DAYS_SCOPE, dayFrom, groupHref, groupName } from "./view";

type Sum = { usd: number | null; unpriced: number };
type Day = { day: number; total: Sum; values: Sum[] };

const sumAt = (values: readonly (number | null)[], unpriced: readonly number[], index: number): Sum => ({
  usd: values[index] ?? null,
  unpriced: unpriced[index] ?? 0,
});

/** Returns the days with a call, newest first. */
const daysOf = ({ days, series, totals, totalsUnpricedCalls }: Costs): Day[] =>
  days
    .map((day, index) => ({
      day,
      total: sumAt(totals, totalsUnpricedCalls, index),
      values: series.map(({ values, unpricedCalls }) => sumAt(values, unpricedCalls, index)),
    }))
    .filter(({ total }) => total.usd !== null || total.unpriced > 0)
    .reverse();

const COLUMN_PX = 110;
const DAY_PX = 160;

type Props = { projectId: string; costs: Costs; list: ListQuery };

/** The chart's numbers: a row per day with a call, which expands to the parts of the day. */
export function CostDays({ projectId, costs, list }: Props) {
  const [{ peek }, setView] = useListView(DAYS_SCOPE);
  const [opened, setOpened] = useState(false);
  const root = useRef<HTMLDetailsElement>(null);
  const rows = daysOf(costs);
  // The day may have been chosen in the chart, which is far above its row.
  useEffect(() => {
    if (peek !== null)
      root.current?.querySelector(`[data-row-id="${CSS.escape(peek)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [peek]);
  if (rows.length === 0) return null;
  return (
    <details
      ref={root}
      className={classes.days}
      open={opened || peek !== null}
      onToggle={({ currentTarget: { open } }) => {
        setOpened(open);
        if (!open && peek !== null) void setView({ peek: null });
      }}
    >
      <summary>Numbers by day</summary>
      <DataList
        embedded
        scope={DAYS_SCOPE}
        list={list}
        name="Costs by day"
        what="day"
        columns={columnsOf(costs)}
        rows={rows}
        rowId={({ day }) => String(day)}
        rowName={({ day }) => formatDay(day, 0)}
        rowHref={({ day }) => conversationsHref(projectId, dayFrom(day))}
        minWidth={DAY_PX + costs.series.length * COLUMN_PX}
        details={(row) => <DayParts projectId={projectId} costs={costs} row={row} />}
        empty={null}
      />
    </details>
  );
}

const columnsOf = ({ series, groupBy }: Costs): ListColumn<Day>[] => [
  {
    id: "day",
    header: "Day (UTC)",
    accessorFn: ({ day }) => day,
    meta: { link: true },
    cell: ({ row }) => <span className={classes.day}>{formatDay(row.original.day, 0)}</span>,
  },
  // Groups are keyed by position, because clients choose their names.
  ...series.map(
    (one, index): ListColumn<Day> => ({
      id: `part${index}`,
      header: () => (
        <div className={classes.columnName} title={groupName(groupBy, one)}>
          {groupName(groupBy, one)}
        </div>
      ),
      accessorFn: ({ values }) => values[index]?.usd ?? undefined,
      meta: { align: "end", label: groupName(groupBy, one) },
      cell: ({ row }) => <CostTotal {...(row.original.values[index] ?? NO_CALLS)} below />,
    }),
  ),
  {
    id: "cost",
    header: "Cost",
    accessorFn: ({ total }) => total.usd ?? undefined,
    meta: { align: "end" },
    cell: ({ row }) => <CostTotal {...row.original.total} below />,
  },
];

const NO_CALLS: Sum = { usd: null, unpriced: 0 };

/** The parts of a day's cost, most expensive first, each linked to its conversations. */
function DayParts({ projectId, costs, row }: { projectId: string; costs: Costs; row: Day }) {
  const { groupBy, series } = costs;
  const parts = series
    .map((one, index) => ({ ...one, index, sum: row.values[index] ?? NO_CALLS }))
    .filter(({ sum }) => sum.usd !== null || sum.unpriced > 0)
    .sort((a, b) => (b.sum.usd ?? 0) - (a.sum.usd ?? 0));
  return (
    <ul className={classes.dayParts} aria-label={`Costs of ${formatDay(row.day, 0)}`}>
      {parts.map(({ key, others, index, sum }) => {
        const name = groupName(groupBy, { key, others });
        const href = others ? null : groupHref(projectId, { groupBy, ...dayFrom(row.day) }, key);
        return (
          <li key={index}>
            <span className="clip" title={name}>
              {href ? (
                <Link href={href} prefetch={false}>
                  {name}
                </Link>
              ) : (
                name
              )}
            </span>
            <span>
              <CostTotal {...sum} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
