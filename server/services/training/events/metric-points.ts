import type { WireEvent } from "./wire-event";

export const LEVELS = 5;
/** Number of points of one level that one point of the next level aggregates. */
export const FAN = 32;
const SERIES_MAX = 64;
const STEP_MAX = 2_147_483_647;

export type Point = {
  series: string;
  level: number;
  bucket: number;
  count: number;
  sum: number;
  min: number;
  max: number;
  step: number;
  value: number;
  at: number;
};

const numberOf = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
const recordOf = (value: unknown) =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
export const stepOf = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= STEP_MAX ? value : null;

/** Fields of an event that are not measurements. */
const NO_SERIES = new Set(["step", "epoch", "raw", "rewards", "nonfinite", "baseline", "is_best", "tokens_seen"]);

function measured(data: Record<string, unknown>, prefix: string): Record<string, number> {
  const own = Object.entries(data).filter(([name]) => !NO_SERIES.has(name));
  const rewards = Object.entries(recordOf(data.rewards)).map(([name, value]) => [`${prefix}rewards_${name}`, value]);
  const numbers = [...own, ...rewards].flatMap(([name, value]) => {
    const number = numberOf(value);
    return number === null || typeof name !== "string" || name.length > 100 ? [] : [[name, number] as const];
  });
  return Object.fromEntries(numbers.slice(0, SERIES_MAX));
}

/** Returns the memory in use: of all devices, and of the worker. */
function memoryOf(data: Record<string, unknown>): Record<string, number> {
  const devices = Array.isArray(data.devices) ? data.devices.map((device) => numberOf(recordOf(device).mem_used)) : [];
  const used = devices.filter((value) => value !== null);
  const rss = numberOf(data.rss);
  return {
    ...(used.length > 0 ? { device_memory_used: used.reduce((sum, value) => sum + value, 0) } : {}),
    ...(rss === null ? {} : { memory_used: rss }),
  };
}

/**
 * Returns an event's step and its values by series; `null` if it has none for the charts. Without a step of its own, it gets
 * `lastStep`.
 */
export function valuesOf({ type, data }: WireEvent, lastStep: number) {
  const step = stepOf(data.step) ?? lastStep;
  if (type === "metrics") return { step, values: measured(data, "") };
  if (type === "eval") return { step, values: measured(data, "eval_") };
  if (type === "resource") return { step, values: memoryOf(data) };
  if (type !== "phase.progress") return null;
  const speed = numberOf(data.tokens_per_second);
  return speed === null ? null : { step, values: { tokens_per_second: speed } };
}

/** Aggregates the values of a batch into points of every level. */
export function createPoints() {
  const points = new Map<string, Point>();
  return {
    /** Replaces an earlier value of the same step. */
    add(series: string, step: number, value: number, at: number) {
      const finest = points.get(`${series} 0 ${step}`);
      for (let level = 0, bucket = step; level < LEVELS; level++, bucket = Math.floor(bucket / FAN)) {
        const key = `${series} ${level} ${bucket}`;
        const known = points.get(key);
        if (!known || level === 0) {
          points.set(key, { series, level, bucket, count: 1, sum: value, min: value, max: value, step, value, at });
          continue;
        }
        known.count += finest ? 0 : 1;
        known.sum += value - (finest?.value ?? 0);
        known.min = Math.min(known.min, value);
        known.max = Math.max(known.max, value);
        if (step >= known.step) Object.assign(known, { step, value, at });
      }
    },
    all: () => [...points.values()],
    /** The first step of each series. */
    firstSteps() {
      const first = new Map<string, number>();
      for (const { series, level, bucket } of points.values()) {
        if (level === 0) first.set(series, Math.min(first.get(series) ?? bucket, bucket));
      }
      return first;
    },
    clear: () => points.clear(),
    get isEmpty() {
      return points.size === 0;
    },
  };
}
