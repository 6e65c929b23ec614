import { BarChart } from "@mantine/charts";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ListQuery } from "@/app/_components/data-table/types";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatDay, formatUsd, plural } from "@/app/_lib/format";
import { fromFirst } from "@/app/_lib/from-first";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { Costs } from "@/server/services/costs/schemas";
import { BudgetList } from "./budget-list";
import type { Budget } from "./budgets";
import { CostDays } from "./cost-days";
import classes from "./costs.module.css";
import { coloursOf, DAYS_SCOPE, dayFrom, groupHref, groupName, groupWord } from "./view";

export const CHART_HEIGHT = 240;

type Props = { projectId: string; costs: Costs; now: number; list: ListQuery; budgets: readonly Budget[] };

/** A bar per day, split into the most expensive groups; a table below has the same numbers. A click on a day opens it there. */
export function CostChart({ projectId, costs, now, list, budgets }: Props) {
  const router = useRouter();
  const [, setDays] = useListView(DAYS_SCOPE);
  const colours = coloursOf(costs.series.map(({ key }) => key));
  // Groups are keyed by position, because clients choose their names.
  const parts = costs.series.map((series, index) => ({
    ...series,
    name: `part${index}`,
    label: groupName(costs.groupBy, series),
    color: `var(--cost-${series.others ? "others" : colours[index]})`,
  }));
  const shown = parts.filter(({ values }) => values.some((value) => value !== null));
  const days = costs.days.map((day, index) => ({
    at: day,
    day: formatDay(day, now),
    total: costs.totals[index] ?? null,
    unpriced: costs.totalsUnpricedCalls[index] ?? 0,
    ...Object.fromEntries(shown.map(({ name, values }) => [name, values[index] ?? null])),
  }));
  const ofAll = budgets.filter(
    ({ measure, model, label }) => measure === "daily_cost" && model === null && label === null,
  );
  const rows = fromFirst(days, ({ total, unpriced }) => total !== null || unpriced > 0);
  return (
    <section className={classes.picture} aria-label="By day">
      {costs.groupBy === "label" ? <p className={classes.note}>{aboutLabels(costs)}</p> : null}
      {shown.length === 0 ? (
        <p className={classes.nothing} style={{ blockSize: CHART_HEIGHT }}>
          Nothing to plot: no call in this period has a known cost.
        </p>
      ) : (
        <>
          <div
            role="img"
            aria-label={`Cost of ${plural(rows.length, "day")}, by ${groupWord(costs.groupBy)}; the numbers are in the tables below`}
            className={classes.chart}
            style={{ blockSize: CHART_HEIGHT }}
          >
            <BarChart
              h={CHART_HEIGHT}
              data={rows}
              dataKey="day"
              type="stacked"
              series={shown.map(({ name, label, color }) => ({ name, label, color }))}
              tickLine="none"
              gridAxis="x"
              referenceLines={ofAll.map(({ limit }) => ({ y: limit, color: "var(--severity-critical)" }))}
              maxBarWidth={32}
              valueFormatter={formatUsd}
              xAxisProps={{ minTickGap: 24, tick: TICK }}
              yAxisProps={{ ...VALUE_AXIS, width: 72 }}
              barChartProps={{
                accessibilityLayer: false,
                onClick: ({ activeTooltipIndex }) => {
                  const day = rows[Number(activeTooltipIndex)];
                  if (day && (day.total !== null || day.unpriced > 0)) void setDays({ peek: String(day.at) });
                },
              }}
              barProps={({ name }) => {
                const part = shown.find((one) => one.name === name);
                const hrefOf = (at: unknown) =>
                  part && !part.others && typeof at === "number"
                    ? groupHref(projectId, { groupBy: costs.groupBy, ...dayFrom(at) }, part.key)
                    : null;
                return {
                  isAnimationActive: false,
                  // Without conversations to open, a click on a part is a click on its day.
                  onClick: ({ payload }, _index, event) => {
                    const href = hrefOf(payload?.at);
                    if (!href) return;
                    event.stopPropagation();
                    router.push(href);
                  },
                };
              }}
              tooltipAnimationDuration={0}
              tooltipProps={{
                content: ({ label, payload }) => (
                  <OneDay
                    day={String(label ?? "")}
                    total={payload?.[0]?.payload?.total}
                    unpriced={payload?.[0]?.payload?.unpriced ?? 0}
                    parts={shown}
                    values={new Map(payload?.map(({ dataKey, value }) => [String(dataKey), value]))}
                  />
                ),
              }}
            />
          </div>
          {rows.length < days.length ? (
            <p className={classes.note}>
              The first {plural(days.length - rows.length, "day")} of the period had no calls.
            </p>
          ) : null}
          <ul className={classes.legend} aria-label="Colours">
            {shown.map(({ name, label, color, key, others }) => {
              const href = others ? null : groupHref(projectId, costs, key);
              const entry = (
                <>
                  <span className={classes.swatch} style={{ background: color }} />
                  <span className="clip">{label}</span>
                </>
              );
              return (
                <li key={name} title={label}>
                  {href ? (
                    <Link href={href} prefetch={false}>
                      {entry}
                    </Link>
                  ) : (
                    entry
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
      <BudgetList projectId={projectId} budgets={budgets} />
      <CostDays projectId={projectId} costs={costs} list={list} />
    </section>
  );
}

const aboutLabels = ({ rows }: Costs) =>
  rows.every(({ key }) => key === null)
    ? "No conversation in this period has a label. Clients send labels as tags, and people add them on a conversation's page."
    : "A conversation with several labels counts towards each of them, so shares can add up to more than 100%, and bars can exceed the day's cost.";

type OneDayProps = {
  day: string;
  total: unknown;
  unpriced: number;
  parts: readonly { name: string; label: string; color: string }[];
  values: ReadonlyMap<string, unknown>;
};

/** The tooltip: the parts of a day with a cost, most expensive first. */
function OneDay({ day, total, unpriced, parts, values }: OneDayProps) {
  const known = parts
    .flatMap((part) => {
      const value = values.get(part.name);
      return typeof value === "number" ? [{ ...part, value }] : [];
    })
    .sort((a, b) => b.value - a.value);
  return (
    <div className={classes.tip}>
      <div className={classes.tipHead}>
        <span>{day}</span>
        <span>{typeof total === "number" ? <AtLeast usd={total} unpriced={unpriced} /> : "no known cost"}</span>
      </div>
      {unpriced > 0 ? <div className={classes.tipNote}>{plural(unpriced, "unpriced call")} left out</div> : null}
      {known.map(({ name, label, color, value }) => (
        <div key={name} className={classes.tipLine}>
          <span className={classes.swatch} style={{ background: color }} />
          <span className="clip">{label}</span>
          <span className="tabular">{formatUsd(value)}</span>
        </div>
      ))}
    </div>
  );
}
