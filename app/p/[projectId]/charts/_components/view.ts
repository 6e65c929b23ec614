import { createLoader, createSerializer, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { downloadHref } from "@/app/_lib/download-href";
import { DAY_MS } from "@/server/platform/durations";
import {
  CHART_GROUPS,
  CHART_MEASURES,
  CHART_STEPS,
  type Chart,
  type ChartGroup,
  type ChartMeasure,
  type ChartStep,
  MEASURES,
  POINTS_MAX,
  STEPS,
} from "@/server/services/charts/schemas";
import {
  type View as ConversationsView,
  viewParsers as conversationParsers,
  filterInput,
  serializeView as serializeConversations,
} from "../../conversations/_components/view";
import { DAY_RANGE_VALUES, daysOf } from "../../costs/_components/day-range";

const { range: _, from: __, to: ___, sort: ____, hide: _____, peek: ______, ...filterParsers } = conversationParsers;

/** The page's state, stored in the URL: what is measured, of which conversations, when. */
export const viewParsers = {
  measure: parseAsStringLiteral(CHART_MEASURES).withDefault("conversations"),
  /** The Finding or Signal that is measured. */
  of: parseAsString,
  by: parseAsStringLiteral(CHART_GROUPS),
  step: parseAsStringLiteral(CHART_STEPS),
  range: parseAsStringLiteral(DAY_RANGE_VALUES).withDefault("30d"),
  from: parseAsInteger,
  to: parseAsInteger,
  ...filterParsers,
};
export const loadView = createLoader(viewParsers);
export const serializeView = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

export const chartHref = (projectId: string, search = "") =>
  `/p/${encodeURIComponent(projectId)}/charts${search === "" ? "" : `?${search}`}`;

/** Returns the view of the list of conversations with the chart's filters and time. */
export const conversationsView = (view: View, now: number): ConversationsView => ({
  ...view,
  range: "custom",
  ...daysOf(view, now),
  sort: null,
  hide: [],
  peek: null,
});

const HOURS_UP_TO = 2 * DAY_MS;
const DAYS_UP_TO = 180 * DAY_MS;

/** Returns the steps that do not make more points than a chart has. */
export function stepsOf(view: View, now: number): ChartStep[] {
  const { from, to } = daysOf(view, now);
  return CHART_STEPS.filter((step) => (to - from) / STEPS[step].width < POINTS_MAX - 1);
}

/** Returns what a point covers: what was chosen, if that is possible or, by default, what makes a readable number of points. */
export function stepOf(view: View, now: number): ChartStep {
  const { from, to } = daysOf(view, now);
  if (view.step !== null && stepsOf(view, now).includes(view.step)) return view.step;
  if (view.step === "hour") return "day";
  return to - from <= HOURS_UP_TO ? "hour" : to - from <= DAYS_UP_TO ? "day" : "week";
}

/** Whether a measure is of one Finding or Signal, and which. */
export const subjectOf = (measure: ChartMeasure): "finding" | "signal" | null =>
  measure === "signal_share" ? "signal" : measure === "finding_share" || measure === "occurrences" ? "finding" : null;

/** Whether everything is chosen that the measure needs. */
export const isComplete = ({ measure, of }: View): boolean =>
  of !== null || (measure !== "finding_share" && measure !== "signal_share");

/** Returns the groups that a measure has. */
export function groupsOf({ measure, of }: Pick<View, "measure" | "of">): ChartGroup[] {
  if (measure === "occurrences" && of === null) return ["finding"];
  return CHART_GROUPS.filter((group) => group !== "finding");
}

/** Returns the query of the chart. `now` is passed in, so that server and browser send the same one. */
export function chartInput(projectId: string, view: View, now: number) {
  const { startedAfter: _, startedBefore: __, ...filters } = filterInput(projectId, conversationsView(view, now), now);
  const subject = subjectOf(view.measure);
  return {
    ...filters,
    measure: view.measure,
    ...(subject === "finding" && view.of !== null ? { ofFinding: view.of } : {}),
    ...(subject === "signal" && view.of !== null ? { ofSignal: view.of } : {}),
    ...(view.by !== null && groupsOf(view).includes(view.by) ? { group: view.by } : {}),
    step: stepOf(view, now),
    ...daysOf(view, now),
  };
}

/** Returns the address of the chart's numbers as a file. */
export function csvHref(projectId: string, view: View, now: number) {
  const { projectId: _, ...input } = chartInput(projectId, view, now);
  return downloadHref(projectId, "chart-data.csv", input);
}

/** Returns the URL of the chart with its days as they are now, so that whoever opens it later sees the same ones. */
export const frozenHref = (projectId: string, view: View, now: number) =>
  `${chartHref(projectId)}${serializeView({ ...view, range: "custom", ...daysOf(view, now), step: stepOf(view, now) })}`;

/** What the measures are called. */
export const MEASURE_WORDS: Record<ChartMeasure, string> = {
  calls: "Model calls",
  tokens: "Tokens",
  cost: "Cost",
  latency_p50: "Latency of calls, median",
  latency_p95: "Latency of calls, p95",
  error_rate: "Calls with errors",
  conversations: "Conversations",
  failing_share: "Conversations with Findings",
  thumbs_down_share: "Thumbs down",
  finding_share: "Share with a Finding",
  signal_share: "Share with a Signal",
  occurrences: "Occurrences of Findings",
};

/** What a share or a number is of, in full. */
export const OF_WORDS: Record<(typeof MEASURES)[ChartMeasure]["of"], { one: string; read: string }> = {
  calls: { one: "call", read: "calls" },
  conversations: { one: "conversation", read: "conversations" },
  readings: { one: "conversation", read: "conversations that the Rule read" },
  occurrences: { one: "occurrence", read: "occurrences" },
};

/** What the groups are called, and what has none. */
export const GROUP_WORDS: Record<ChartGroup, { one: string; none: string }> = {
  model: { one: "Model", none: "Model not specified" },
  provider: { one: "Provider", none: "Provider not specified" },
  version: { one: "Version", none: "No version" },
  label: { one: "Label", none: "No label" },
  tool: { one: "Tool", none: "No tool" },
  prompt: { one: "Prompt", none: "No prompt" },
  language: { one: "Language", none: "Language unknown" },
  user: { one: "User", none: "No user" },
  finding: { one: "Finding", none: "No Finding" },
};

export const STEP_WORDS: Record<ChartStep, string> = { hour: "Hour", day: "Day", week: "Week" };

/** Returns the URL of the conversations that began in one step, with the chart's filters. */
export function stepHref(projectId: string, view: View, { step }: Pick<Chart, "step">, at: number, now: number) {
  const finding = subjectOf(view.measure) === "finding" && view.of !== null ? { finding: view.of } : {};
  const counted = { ...conversationsView(view, now), ...finding, ...MEASURED[view.measure] };
  const search = serializeConversations({ ...counted, from: at, to: at + STEPS[step].width });
  return `/p/${encodeURIComponent(projectId)}/conversations${search}`;
}

/** The filter for what a share counts. */
const MEASURED: Partial<Record<ChartMeasure, Partial<ConversationsView>>> = {
  error_rate: { errors: true },
  failing_share: { findings: true },
  thumbs_down_share: { thumbsDown: true },
};

/** Whether the series add up to the whole, so that they can be stacked. */
export const isStacked = ({ measure }: Pick<Chart, "measure">) =>
  MEASURES[measure].by === "count" || MEASURES[measure].by === "sum";
