/** A time range as in the URL: a preset, or custom ends (Unix ms). */
export const PRESETS = [
  { value: "1h", label: "Last hour", ms: 3_600_000 },
  { value: "24h", label: "Last 24 hours", ms: 86_400_000 },
  { value: "7d", label: "Last 7 days", ms: 7 * 86_400_000 },
  { value: "30d", label: "Last 30 days", ms: 30 * 86_400_000 },
] as const;
export const RANGE_VALUES = [...PRESETS.map((preset) => preset.value), "custom"] as const;
export type RangeValue = (typeof RANGE_VALUES)[number];
export type TimeRange = { range: RangeValue | null; from: number | null; to: number | null };

/** Range ends as the API takes them: the first inclusive, the last exclusive; absent if open. */
export function endsOf({ range, from, to }: TimeRange, now: number): { after?: number; before?: number } {
  if (range === null) return {};
  const preset = PRESETS.find((candidate) => candidate.value === range);
  if (preset) return { after: now - preset.ms };
  return { ...(from !== null ? { after: from } : {}), ...(to !== null ? { before: to } : {}) };
}
