import { formatBytes, formatCompact, formatPercent, UNKNOWN } from "@/app/_lib/format";
import type { ChartKind } from "./series";

const DIGITS = 4;

/** `0.8123`, `1.28e-5`, `12.35`: four significant digits at any magnitude. */
export function formatMetric(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return Number(value.toPrecision(3)).toExponential();
  return String(Number(value.toPrecision(size >= 1 ? DIGITS : DIGITS - 1)));
}

const FORMATS: Record<ChartKind["unit"], (value: number | null | undefined) => string> = {
  number: formatMetric,
  scientific: formatMetric,
  rate: (value) => formatCompact(value == null ? value : Math.round(value)),
  bytes: formatBytes,
  percent: formatPercent,
};
export const formatIn = (unit: ChartKind["unit"]) => FORMATS[unit];
