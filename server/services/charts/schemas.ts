import { z } from "zod";
import { idInput, queryUnixMs } from "@/server/platform/schemas";
import { conversationFilters } from "@/server/services/telemetry/schemas";
import { CHART_GROUPS, CHART_MEASURES, CHART_STEPS, CHART_UNITS } from "./types";

export * from "./types";

export const chartMeasure = z.enum(CHART_MEASURES);
export const chartGroup = z.enum(CHART_GROUPS);
export const chartStep = z.enum(CHART_STEPS);

/** The filters of the list of conversations, whose time range is that of the chart. */
const { startedAfter: _, startedBefore: __, ...filters } = conversationFilters.shape;
export const chartFilters = z.strictObject(filters);
export type ChartFilters = z.output<typeof chartFilters>;

export const queryChartInput = z.strictObject({
  measure: chartMeasure.describe(
    "`calls`, `tokens`, `cost`, `latency_p50`, `latency_p95` and `error_rate` are of model calls; `conversations`, and of these the shares with a Finding (`failing_share`) and, among those with feedback, with a thumbs down (`thumbs_down_share`); `finding_share` and `signal_share` are of the conversations that the Rule read; `occurrences` counts the conversations in which a Finding occurred.",
  ),
  ofFinding: idInput
    .optional()
    .describe("The Finding measured by `finding_share`, which requires it, or by `occurrences`: without it, of all."),
  ofSignal: z.string().min(1).max(100).optional().describe("The Signal measured by `signal_share`, which requires it."),
  group: chartGroup
    .optional()
    .describe(
      "One series per value: of the call (`model`, `provider`) if calls are measured, of the conversation otherwise, which counts in each value that it has. `finding` is for `occurrences` alone.",
    ),
  from: queryUnixMs.describe("Unix ms; expanded to the start of its hour, day or week (UTC, from Monday)."),
  to: queryUnixMs.describe("Unix ms, exclusive; expanded to the end of its hour, day or week."),
  step: chartStep.default("day").describe("What one point covers."),
  ...filters,
});
export type QueryChartInput = z.output<typeof queryChartInput>;

const point = z.object({
  value: z
    .number()
    .nullable()
    .describe("In the chart's unit, a share as a fraction; `null` if unknown, such as the latency of no calls."),
  exact: z.string().nullable().describe("Of costs, the same with every digit."),
  n: z
    .int()
    .nullable()
    .describe("The number of calls or conversations that it is of; `null` for a time that was not counted."),
  unpricedCalls: z.int().nullable().describe("Of costs, the number of these calls that it leaves out."),
  low: z.number().nullable().describe("Of shares, the lower limit of the 95% interval (Wilson)."),
  high: z.number().nullable().describe("Of shares, its upper limit."),
});
export type ChartPoint = z.infer<typeof point>;

const chart = z.object({
  measure: chartMeasure,
  group: chartGroup.nullable(),
  step: chartStep,
  unit: z.enum(CHART_UNITS),
  from: z.number().describe("What is covered, in whole steps."),
  to: z.number(),
  at: z.array(z.number()).describe("The start of every step, for the points of each series in this order."),
  totals: z.array(point).describe("All together, each call and conversation counted once."),
  total: point.describe("The whole range, as far as it was counted."),
  series: z.array(
    z.object({
      key: z.string().nullable().describe("`null`: what has no value of the group, or with `others` all other values."),
      name: z.string().nullable().describe("The title of a Finding."),
      others: z.boolean(),
      points: z.array(point),
      total: point,
    }),
  ),
  groupsInOthers: z.int().describe("How many values `others` has; 0 without it."),
  countedFrom: z
    .number()
    .nullable()
    .describe("If there is more than is counted, the start of the first step that was counted, else `null`."),
});
export type Chart = z.infer<typeof chart>;
export const chartReply = z.object({ chart });
