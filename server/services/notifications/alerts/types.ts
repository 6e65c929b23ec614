import type { ALERT_CONDITIONS, ALERT_MEASURES, ALERT_STATES } from "@/db/schema/enumerations";

export type AlertMeasure = (typeof ALERT_MEASURES)[number];
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** What an alert watches, and when that is worth a message. */
export type AlertDefinition = {
  measure: AlertMeasure;
  model: string | null;
  label: string | null;
  /** The Finding whose share is measured; `null` for every other measure. */
  findingId: string | null;
  condition: AlertCondition;
  limit: number;
  windowMinutes: number;
  minCount: number;
};

type Kind = {
  name: string;
  /** What a change compares, if it is not the measure itself. */
  changing?: string;
  /** What it counts, of which there may be too few; `null` if it counts nothing. */
  counts: "calls" | "conversations" | null;
  /** The filters that calls have: a month is stored by model and by label, but not by both. */
  filters: "both" | "either" | "none";
  /** What a threshold is compared with: a window that ends now, the UTC day or month so far, or the last arrival. */
  period: "window" | "day" | "month" | "arrival";
  /** Whether it can be compared with its own past. Findings have a trend of their own. */
  changes: boolean;
  /** A caller must be allowed to read costs. */
  isCost?: true;
  minCount: number;
  /** What the measure cannot exceed, and so no limit either. */
  most?: number;
  format: (value: number) => string;
};

const rounded = (value: number, digits: number) =>
  value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: 0 });
const usd = (value: number) =>
  value === 0 || value >= 0.995
    ? `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
    : `$${value.toLocaleString("en-US", { maximumSignificantDigits: 2, maximumFractionDigits: 12 })}`;
const percent = (share: number) => `${rounded(share * 100, share < 0.1 ? 1 : 0)}%`;
const duration = (ms: number) => (ms < 1000 ? `${rounded(ms, 0)} ms` : `${rounded(ms / 1000, ms < 10_000 ? 2 : 1)} s`);
const minutes = (value: number) => {
  const whole = Math.floor(value);
  if (whole < 60) return `${whole} min`;
  if (whole < 48 * 60) return `${Math.floor(whole / 60)} h ${whole % 60} min`;
  return `${Math.floor(whole / 1440)} d ${Math.floor((whole % 1440) / 60)} h`;
};

const COST = { counts: "calls", isCost: true, minCount: 0, format: usd } as const;
const OF_CALLS = { counts: "calls", filters: "both", period: "window", changes: true, minCount: 50 } as const;

/** Every measure, with its words. */
export const MEASURES: Record<AlertMeasure, Kind> = {
  daily_cost: { ...COST, name: "Cost per day", changing: "Cost", filters: "both", period: "day", changes: true },
  monthly_cost: { ...COST, name: "Cost per month", filters: "either", period: "month", changes: false },
  daily_user_cost: { ...COST, name: "Highest cost of a user per day", filters: "both", period: "day", changes: false },
  error_rate: { ...OF_CALLS, name: "Error rate of model calls", most: 1, format: percent },
  latency_p95: { ...OF_CALLS, name: "Latency p95 of model calls", format: duration },
  finding_share: {
    name: "Share of a Finding",
    counts: "conversations",
    filters: "none",
    period: "window",
    changes: false,
    minCount: 20,
    most: 1,
    format: percent,
  },
  silence: {
    name: "Time without telemetry",
    counts: null,
    filters: "none",
    period: "arrival",
    changes: false,
    minCount: 0,
    format: minutes,
  },
};

/** The minimum number of calls where a change is compared: fewer vary too much by chance. */
export const CHANGE_MIN_COUNT = 100;
/** The increase that a change alert has by default: twice as much as usual. */
export const CHANGE_DEFAULT = 1;

/** Returns what an alert measures, with its filters: `Error rate of model calls, gpt-4o`. */
export function measureWords({
  measure,
  condition,
  model,
  label,
}: Pick<AlertDefinition, "measure" | "condition" | "model" | "label">) {
  const { name, changing = name } = MEASURES[measure];
  const filters = [model, label === null ? null : `label ${label}`].filter((filter) => filter !== null);
  return [condition === "change" ? changing : name, ...filters].join(", ");
}

/** Returns when an alert fires: `at 5%`, `at 100% above the usual`. */
export const limitWords = ({ measure, condition, limit }: Pick<AlertDefinition, "measure" | "condition" | "limit">) =>
  condition === "change" ? `at ${rounded(limit * 100, 0)}% above the usual` : `at ${MEASURES[measure].format(limit)}`;

type Measured = { measure: AlertMeasure; value: number | null; count: number | null; limitValue: number | null };

const countWords = (measure: AlertMeasure, count: number) => {
  const { counts } = MEASURES[measure];
  return `${rounded(count, 0)} ${count === 1 ? counts?.slice(0, -1) : counts}`;
};

/** Returns what was measured: `4.2% of 310 calls`. */
export function valueWords({ measure, value, count }: Pick<Measured, "measure" | "value" | "count">): string {
  const counted = count === null ? "" : countWords(measure, count);
  if (value === null) return counted === "" || count === 0 ? "nothing measured" : `unknown, ${counted}`;
  return counted === "" ? MEASURES[measure].format(value) : `${MEASURES[measure].format(value)} of ${counted}`;
}

type Read = Measured & { state: (typeof ALERT_STATES)[number]; minCount: number };

/** Returns what was measured and what that means: `4.2% of 310 calls, fires at 5%`, `25% of 3 calls, decides from 50 calls`. */
export function readingWords({ state, minCount, ...reading }: Read): string {
  const words = valueWords(reading);
  const { measure, count, limitValue } = reading;
  if (state === "too_few" && count !== null && count < minCount)
    return `${words}, decides from ${countWords(measure, minCount)}`;
  if (state === "too_few" && limitValue === null) return `${words}, too little past to compare with`;
  if (limitValue === null) return words;
  return `${words}, ${state === "firing" ? "limit" : "fires at"} ${MEASURES[measure].format(limitValue)}`;
}

/** Whether a measure is at its limit or above, which fires if the next evaluation finds the same. */
export const isOverLimit = ({ value, limitValue }: Pick<Measured, "value" | "limitValue">) =>
  value !== null && limitValue !== null && value > 0 && value >= limitValue;
