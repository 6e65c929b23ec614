import {
  formatCompact,
  formatCount,
  formatDay,
  formatDuration,
  formatMinute,
  formatPercent,
  formatUsd,
} from "@/app/_lib/format";
import { languageName } from "@/server/platform/language/names";
import type { Chart, ChartStep, ChartUnit } from "@/server/services/charts/schemas";
import { GROUP_WORDS } from "./view";

type Format = (value: number | null | undefined) => string;

/** How a value of a unit is written. */
export const FORMATS: Record<ChartUnit, Format> = {
  count: formatCount,
  tokens: formatCompact,
  usd: formatUsd,
  ms: formatDuration,
  share: formatPercent,
};

/** Returns the name of a series. */
export function seriesName(
  { group, groupsInOthers }: Pick<Chart, "group" | "groupsInOthers">,
  { key, name, others }: Pick<Chart["series"][number], "key" | "name" | "others">,
): string {
  if (others) return `Others (${formatCount(groupsInOthers)})`;
  if (group === null) return "All";
  if (key === null) return GROUP_WORDS[group].none;
  return name?.replaceAll("`", "") ?? (group === "language" ? languageName(key) : key);
}

/** Returns the time of a point: in UTC, as steps are. */
export const stepName = (at: number, step: ChartStep, now: number): string =>
  step === "hour" ? formatMinute(at, "UTC") : step === "week" ? `week of ${formatDay(at, now)}` : formatDay(at, now);
