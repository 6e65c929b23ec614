import { DAY_MS, HOUR_MS } from "@/server/platform/durations";

export const CHART_UNITS = ["count", "tokens", "usd", "ms", "share"] as const;
export type ChartUnit = (typeof CHART_UNITS)[number];

/** In the order in which they are offered. */
export const CHART_MEASURES = [
  "calls",
  "tokens",
  "cost",
  "latency_p50",
  "latency_p95",
  "error_rate",
  "conversations",
  "failing_share",
  "thumbs_down_share",
  "finding_share",
  "signal_share",
  "occurrences",
] as const;
export type ChartMeasure = (typeof CHART_MEASURES)[number];

export type MeasureFacts = {
  unit: ChartUnit;
  /** What is counted, and how the values of a step become one. */
  of: "calls" | "conversations" | "readings" | "occurrences";
  by: "count" | "sum" | "median" | "p95" | "share";
};

export const MEASURES: Record<ChartMeasure, MeasureFacts> = {
  calls: { unit: "count", of: "calls", by: "count" },
  tokens: { unit: "tokens", of: "calls", by: "sum" },
  cost: { unit: "usd", of: "calls", by: "sum" },
  latency_p50: { unit: "ms", of: "calls", by: "median" },
  latency_p95: { unit: "ms", of: "calls", by: "p95" },
  error_rate: { unit: "share", of: "calls", by: "share" },
  conversations: { unit: "count", of: "conversations", by: "count" },
  failing_share: { unit: "share", of: "conversations", by: "share" },
  thumbs_down_share: { unit: "share", of: "conversations", by: "share" },
  finding_share: { unit: "share", of: "readings", by: "share" },
  signal_share: { unit: "share", of: "readings", by: "share" },
  occurrences: { unit: "count", of: "occurrences", by: "count" },
};

export const CHART_GROUPS = [
  "model",
  "provider",
  "version",
  "label",
  "tool",
  "prompt",
  "language",
  "user",
  "finding",
] as const;
export type ChartGroup = (typeof CHART_GROUPS)[number];

export const CHART_STEPS = ["hour", "day", "week"] as const;
export type ChartStep = (typeof CHART_STEPS)[number];

/** Unix time began on a Thursday; weeks begin on Monday. */
const FIRST_MONDAY = 4 * DAY_MS;
export const STEPS: Record<ChartStep, { width: number; first: number }> = {
  hour: { width: HOUR_MS, first: 0 },
  day: { width: DAY_MS, first: 0 },
  week: { width: 7 * DAY_MS, first: FIRST_MONDAY },
};

export const POINTS_MAX = 400;
export const SERIES_MAX = 10;
