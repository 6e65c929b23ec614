/** Formats for numbers, money and times on every screen. An unknown is a dash, never a zero. */
export const UNKNOWN = "—";

const integer = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

export const formatCount = (value: number | null | undefined) => (value == null ? UNKNOWN : integer.format(value));

/** `12,310` up to five digits, then `48.2K`: short enough for a column. */
export const formatCompact = (value: number | null | undefined) =>
  value == null ? UNKNOWN : Math.abs(value) < 10_000 ? integer.format(value) : compact.format(value);

/** Enough digits to tell small calls apart: `$0.0065`, `$0.000012`, `$1.24`, `$12,310`. Zero is a real price. */
export function formatUsd(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return "$0.00";
  const size = Math.abs(value);
  const sign = value < 0 ? "-" : "";
  if (size >= 10_000) return `${sign}$${integer.format(size)}`;
  if (size >= 0.995)
    return `${sign}$${size.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  if (size < 1e-9) return `${sign}<$0.000000001`;
  // Two significant digits, and never fewer than two decimals.
  const decimals = Math.min(10, Math.max(2, 1 - Math.floor(Math.log10(size))));
  return `${sign}$${size.toFixed(decimals)}`;
}

/** All available digits, for a title. */
export const formatUsdExact = (value: number | null | undefined) =>
  value == null ? "unknown" : `$${value.toLocaleString("en-US", { maximumFractionDigits: 12, useGrouping: false })}`;

export const formatPercent = (share: number | null | undefined) =>
  share == null || !Number.isFinite(share)
    ? UNKNOWN
    : `${(share * 100).toLocaleString("en-US", { maximumFractionDigits: share < 0.1 ? 1 : 0 })}%`;

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** `512 B`, `1.24 MB`, in powers of a thousand as disks are sold. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes == null || !Number.isFinite(bytes) || bytes < 0) return UNKNOWN;
  let size = bytes;
  let unit = 0;
  // A value that would round to 1,000 moves to the next unit.
  while (size >= 999.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(size) : Number(size.toPrecision(3))} ${BYTE_UNITS[unit]}`;
}

export function formatDuration(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return UNKNOWN;
  if (ms < 0) return UNKNOWN;
  if (ms < 1) return `${ms.toFixed(ms === 0 ? 0 : 2)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const STEPS = [
  { unit: "s", ms: 1000, until: 60_000 },
  { unit: "min", ms: 60_000, until: 3_600_000 },
  { unit: "h", ms: 3_600_000, until: 86_400_000 },
  { unit: "d", ms: 86_400_000, until: 30 * 86_400_000 },
] as const;

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dateWithYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A day in UTC: `3 Nov 2026`, or `3 Nov` in the year of `now`. */
export const formatDay = (at: number, now: number = at) =>
  (new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear() ? date : dateWithYear).format(at);

/** `now`, `12 s ago`, `in 3 h`, and a date beyond 30 days. */
export function formatAgo(at: number | null | undefined, now: number): string {
  if (at == null || !Number.isFinite(at)) return UNKNOWN;
  const gone = now - at;
  const size = Math.abs(gone);
  if (size < 5000) return "now";
  const step = STEPS.find((candidate) => size < candidate.until);
  if (!step) return Math.abs(at) > 8.64e15 ? UNKNOWN : formatDay(at, now);
  const amount = `${Math.floor(size / step.ms)} ${step.unit}`;
  return gone >= 0 ? `${amount} ago` : `in ${amount}`;
}

/** The exact time, for a title: in the browser's time zone, which is always included. */
export function formatExact(at: number | null | undefined, timeZone?: string): string {
  if (at == null || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return "unknown";
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "long",
    ...(timeZone ? { timeZone } : {}),
  }).format(at);
}

/** `10 Nov 2026, 12:00 UTC`: the exact time without seconds, for an axis. */
export const formatMinute = (at: number, timeZone?: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    ...(timeZone ? { timeZone } : {}),
  }).format(at);

/** Puts a name in quotation marks; those within become single ones. */
export const quoted = (name: string) => `“${name.replaceAll("“", "‘").replaceAll("”", "’")}”`;

/** Capitalizes the first letter. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const PLURALS: Readonly<Record<string, string>> = {
  delivery: "deliveries",
  person: "people",
  entry: "entries",
  fix: "fixes",
  alias: "aliases",
};

export const plural = (count: number, one: string, many = PLURALS[one] ?? `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
