"use client";
import { LineChart } from "@mantine/charts";
import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { ExactTime } from "@/app/_components/values/exact-time";
import { TICK, VALUE_AXIS } from "@/app/_lib/axes";
import { formatDay, formatDuration, formatMinute, formatPercent, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { DAY_MS } from "@/server/platform/durations";
import {
  type AlertMeasure,
  MEASURES,
  PREVIEW_DAYS,
  type AlertPreview as Preview,
  readingWords,
} from "@/server/services/notifications/alerts/schemas";
import classes from "./alert-preview.module.css";
import { type FormValues, problemsOf, sentOf } from "./form-values";
import { raisedWords } from "./raised-words";
import { stateWords } from "./state-words";

const TYPING_MS = 400;
const CHART_PX = 170;
const FIRINGS_LISTED = 3;

/** When an alert with these values would have fired, tested as they are typed. */
export function AlertPreview({ projectId, values }: { projectId: string; values: FormValues }) {
  const trpc = useTRPC();
  const { name: _, connectionIds: __, mailMembers: ___, model, label, findingId, ...definition } = sentOf(values);
  const problems = problemsOf({ ...values, name: "A name" });
  const isValid = Object.keys(problems).length === 0;
  const input = {
    projectId,
    ...definition,
    ...(model ? { model } : {}),
    ...(label ? { label } : {}),
    ...(findingId ? { findingId } : {}),
  };
  const [settled] = useDebouncedValue(JSON.stringify(isValid ? input : null), TYPING_MS);
  const asked: typeof input | null = JSON.parse(settled);
  const { data, error, isFetching } = useQuery(
    trpc.alerts.preview.queryOptions(asked ?? input, {
      enabled: asked !== null,
      placeholderData: (previous) => previous,
    }),
  );
  // What was tested before, with another measure or condition, says nothing about this one.
  const isOfThese = asked?.measure === values.measure && asked.condition === values.condition;
  const preview = data && isOfThese ? data.preview : undefined;
  return (
    <section className={classes.root} aria-label="Tested on the past" aria-busy={isFetching || undefined}>
      {error ? (
        <Refused error={error} />
      ) : preview ? (
        <Tested {...values} minCount={Number(values.minCount)} preview={preview} />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          {isValid
            ? `Testing it on the last ${PREVIEW_DAYS} days…`
            : "Complete the fields to see when it would have fired."}
        </Text>
      )}
    </section>
  );
}

type TestedProps = Pick<FormValues, "measure" | "condition"> & { minCount: number; preview: Preview };

function Tested({ measure, condition, minCount, preview }: TestedProps) {
  const { from, to, fired, firings, now, median, highest, decided, factor } = preview;
  const { format } = MEASURES[measure];
  return (
    <>
      <Text size="sm" fw={500} role="status">
        {fired === 0 ? "Would not have fired" : `Would have fired ${plural(fired, "time")}`} in the last{" "}
        {plural(Math.max(1, Math.round((to - from) / DAY_MS)), "day")}
      </Text>
      {firings.length > 0 ? (
        <ul className={classes.firings} aria-label="When it would have fired">
          {firings.slice(0, FIRINGS_LISTED).map(({ firedAt, clearedAt, value }) => (
            <li key={firedAt}>
              <ExactTime at={firedAt} /> with {format(value)},{" "}
              {clearedAt === null ? "until now" : `for ${formatDuration(clearedAt - firedAt)}`}
            </li>
          ))}
          {fired > FIRINGS_LISTED ? <li>and {plural(fired - FIRINGS_LISTED, "time")} before</li> : null}
        </ul>
      ) : null}
      <Text size="xs" c="dimmed">
        Now: {stateWords(now).word.toLowerCase()}, {readingWords({ measure, minCount, ...now })}
        {median === null || highest === null ? null : ` · median ${format(median)}, highest ${format(highest)}`}
        {decided < 0.995 ? ` · in ${formatPercent(1 - decided)} of the time too little was measured to decide` : null}
      </Text>
      {condition === "change" && (factor === null || factor > 1) ? (
        <Text size="xs" c="dimmed">
          {factor === null ? "What is usual is known after 3 weeks of telemetry." : raisedWords(factor)}
        </Text>
      ) : null}
      {highest === null ? null : <PastChart measure={measure} preview={preview} />}
    </>
  );
}

/** The highest value of each hour, and the limit. */
function PastChart({ measure, preview: { hours } }: { measure: AlertMeasure; preview: Preview }) {
  const { format } = MEASURES[measure];
  return (
    <div role="img" aria-label="The highest value of each hour and the limit" className={classes.chart}>
      <LineChart
        h={CHART_PX}
        data={hours.map((hour) => ({ ...hour }))}
        dataKey="at"
        series={[
          { name: "value", label: "Highest of the hour", color: "var(--mantine-primary-color-filled)" },
          { name: "limitValue", label: "Limit", color: "var(--severity-critical)", strokeDasharray: "4 3" },
        ]}
        curveType="linear"
        strokeWidth={1.5}
        withDots={false}
        connectNulls={false}
        gridAxis="x"
        tickLine="none"
        valueFormatter={format}
        xAxisProps={{ tick: TICK, minTickGap: 40, tickFormatter: (at: number) => formatDay(at) }}
        yAxisProps={{ ...VALUE_AXIS, width: 64 }}
        lineChartProps={{ accessibilityLayer: false }}
        lineProps={{ isAnimationActive: false }}
        tooltipAnimationDuration={0}
        tooltipProps={{ labelFormatter: (at) => (typeof at === "number" ? formatMinute(at) : "") }}
      />
    </div>
  );
}
