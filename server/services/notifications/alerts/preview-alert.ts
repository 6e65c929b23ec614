import { databaseNow } from "@/db/database-now";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { advance, QUIET, type Standing, stateOf } from "./advance";
import { checkDefinition, minCountOf, requireMeasure } from "./alerts";
import { median } from "./readings/changes";
import { readableSince } from "./readings/read-rows";
import { clearsAfter, type Reading, readReadings } from "./readings/readings";
import {
  type AlertMeasure,
  type AlertPreview,
  alertPreviewReply,
  FIRINGS_SHOWN,
  PREVIEW_DAYS,
  previewAlertInput,
} from "./schemas";

/** Measures that are not stored by the minute. */
const IS_READ_BY_ROW: ReadonlySet<AlertMeasure> = new Set(["daily_user_cost", "finding_share"]);

export const previewAlert = verb(
  {
    name: "alerts.preview",
    summary: "Test an alert on the last 14 days, without creating it.",
    description:
      "Evaluates every minute of these days as the alert would have been evaluated, with all telemetry that has arrived since. `fired` is how often it would have fired, and `firings` when. `daily_user_cost` and `finding_share` are tested on fewer days of a project with very many calls: `from` says since when. A measure of costs also requires `model-pricing:read`.",
    effect: "read",
    capability: "diagnostics:read",
    input: previewAlertInput,
    reply: alertPreviewReply,
  },
  async (ctx, { model = null, label = null, findingId = null, minCount, ...input }) => {
    requireMeasure(ctx, input.measure);
    const definition = { ...input, model, label, findingId, minCount: minCount ?? minCountOf(input) };
    await checkDefinition(ctx, definition);
    const now = await databaseNow(ctx.db);
    const days = { from: now - PREVIEW_DAYS * DAY_MS, to: now };
    const from = IS_READ_BY_ROW.has(input.measure) ? await readableSince(ctx, days) : days.from;
    const { readings, calibration } = await readReadings(ctx, definition, { from, to: now, now });
    const preview = previewOf(readings, { from, to: now }, clearsAfter(definition));
    return { preview: { ...preview, factor: calibration?.factor ?? null } };
  },
);

/** Evaluates an alert at each of its readings, in order, as it would have been. */
export function previewOf(
  readings: readonly Reading[],
  { from, to }: { from: number; to: number },
  clears: number,
): Omit<AlertPreview, "factor"> {
  const firings: AlertPreview["firings"] = [];
  let standing: Standing = QUIET;
  for (const reading of readings) {
    const next = advance(standing, reading, clears);
    if (next.event === "fired")
      firings.push({ firedAt: reading.at, clearedAt: null, value: reading.value!, limitValue: reading.limitValue! });
    if (next.event === "cleared") firings.at(-1)!.clearedAt = reading.at;
    standing = next;
  }
  const last = readings.at(-1);
  if (!last) throw new Error("A preview has at least one reading.");
  const values = readings.map(({ value }) => value).filter((value) => value !== null);
  const decided = readings.filter(({ verdict }) => verdict !== "no_data" && verdict !== "too_few").length;
  return {
    from,
    to,
    fired: firings.length,
    firings: firings.slice(-FIRINGS_SHOWN).reverse(),
    now: {
      state: stateOf(standing, last),
      value: last.value,
      count: last.count,
      limitValue: last.limitValue,
    },
    median: values.length === 0 ? null : median(values),
    highest: values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b)),
    decided: decided / readings.length,
    hours: hoursOf(readings),
  };
}

/** Returns the reading with the highest value of each hour. */
function hoursOf(readings: readonly Reading[]): AlertPreview["hours"] {
  const hours = new Map<number, AlertPreview["hours"][number]>();
  for (const { at, value, limitValue } of readings) {
    // A reading at the end of an hour is of that hour.
    const hour = Math.floor((at - 1) / HOUR_MS) * HOUR_MS;
    const known = hours.get(hour);
    if (!known || (value !== null && (known.value === null || value > known.value)))
      hours.set(hour, { at: hour, value, limitValue });
  }
  return [...hours.values()];
}
