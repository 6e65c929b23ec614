import { BarChart } from "@mantine/charts";
import { useRouter } from "next/navigation";
import type { ListQuery } from "@/app/_components/data-table/types";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatDay, formatUsd, plural } from "@/app/_lib/format";
import { fromFirst } from "@/app/_lib/from-first";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { Costs } from "@/server/services/costs/schemas";
import { colourOf, coloursOf } from "../../_components/series/colours";
import { SeriesLegend } from "../../_components/series/series-legend";
import { SeriesTooltip } from "../../_components/series/series-tooltip";
import { BudgetList } from "./budget-list";
import type { Budget } from "./budgets";
import { CostDays } from "./cost-days";
import classes from "./costs.module.css";
import { DAYS_SCOPE, dayFrom, groupHref, groupName, groupWord } from "./view";

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
    color: colourOf(series.others ? "others" : (colours[index] ?? "others")),
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
                content: ({ label, payload }) => {
                  const { total, unpriced = 0 } = payload?.[0]?.payload ?? {};
                  return (
                    <SeriesTooltip
                      at={String(label ?? "")}
                      total={
                        <span>
                          {typeof total === "number" ? <AtLeast usd={total} unpriced={unpriced} /> : "no known cost"}
                        </span>
                      }
                      note={unpriced > 0 ? `${plural(unpriced, "unpriced call")} left out` : null}
                      series={shown}
                      values={new Map(payload?.map(({ dataKey, value }) => [String(dataKey), value]))}
                      format={formatUsd}
                    />
                  );
                },
              }}
            />
          </div>
          {rows.length < days.length ? (
            <p className={classes.note}>
              The first {plural(days.length - rows.length, "day")} of the period had no calls.
            </p>
          ) : null}
          <SeriesLegend
            series={shown}
            hrefOf={({ key, others }) => (others ? null : groupHref(projectId, costs, key))}
          />
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
