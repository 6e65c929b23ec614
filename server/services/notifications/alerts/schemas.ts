import { z } from "zod";
import { ALERT_CONDITIONS, ALERT_MEASURES, ALERT_STATES } from "@/db/schema/enumerations";
import {
  changing,
  filledText,
  idInput,
  pageInput,
  pagination,
  queryInteger,
  queryNumber,
} from "@/server/platform/schemas";

export * from "./types";

/** In the order in which they are offered. */
export const ALERT_MEASURE_NAMES = ALERT_MEASURES;
export const alertMeasure = z.enum(ALERT_MEASURES);
export const alertCondition = z.enum(ALERT_CONDITIONS);
export const alertState = z.enum(ALERT_STATES);
export type AlertState = z.infer<typeof alertState>;

export const WINDOW_DEFAULT = 60;
export const WINDOW_MIN = 5;
export const WINDOW_MAX = 1440;
const CHANNELS_MAX = 10;
const LIMIT_MIN = 1e-9;
const LIMIT_MAX = 1e12;
const COUNT_MAX = 1_000_000_000;
const nameOf = z.string().min(1).max(500);

const fields = {
  name: filledText(120, "Enter a name.").describe("Shown in lists and messages."),
  enabled: z.boolean().describe("Whether it is evaluated."),
  measure: alertMeasure.describe(
    "`daily_cost` and `monthly_cost`: US dollars of the UTC day or month so far; `daily_user_cost`: those of the end user who cost most on the UTC day so far; `error_rate`: share of model calls that failed; `latency_p95`: ms that 95% of model calls did not exceed; `finding_share`: share of conversations with a Finding among those that its Rule has read, by their last activity; `silence`: minutes since telemetry last arrived.",
  ),
  model: nameOf.describe("Only calls of this model, as the client named it."),
  label: nameOf.describe("Only calls of conversations with this label."),
  findingId: idInput.describe("The Finding whose share is measured; required for `finding_share`."),
  condition: alertCondition.describe(
    "`threshold`: the measure reaches the limit; `change`: it exceeds the median of the same time on the same weekday of the last 4 weeks, for `daily_cost`, `error_rate` and `latency_p95`.",
  ),
  limit:
    "In the unit of the measure, a share as a fraction. For a change, the increase as a fraction: 1 is twice as much.",
  windowMinutes:
    "How long the time is that is measured, up to now. Ignored where a measure has its own: the cost of a day or month against a threshold, and silence.",
  minCount:
    "With fewer calls in that time, or conversations for `finding_share`, nothing is decided: the state is `too_few`. The default depends on the measure.",
  mailMembers: z.boolean().describe("Whether every member gets an e-mail when it fires and when it clears."),
  connectionIds: z
    .array(idInput)
    .max(CHANNELS_MAX)
    .transform((ids) => [...new Set(ids)].sort())
    .describe(
      "Connections of kind `webhook`, in either format, that are sent a message when it fires and when it clears.",
    ),
};
const bodyNumbers = {
  limit: z.number().min(LIMIT_MIN).max(LIMIT_MAX).describe(fields.limit),
  windowMinutes: z.int().min(WINDOW_MIN).max(WINDOW_MAX).describe(fields.windowMinutes),
  minCount: z.int().min(0).max(COUNT_MAX).describe(fields.minCount),
};

/** What is evaluated, where a query string may send it. */
export const previewAlertInput = z.strictObject({
  measure: fields.measure,
  model: fields.model.optional(),
  label: fields.label.optional(),
  findingId: fields.findingId.optional(),
  condition: fields.condition.default("threshold"),
  limit: queryNumber(LIMIT_MIN, LIMIT_MAX).describe(fields.limit),
  windowMinutes: queryInteger(WINDOW_MIN, WINDOW_MAX).default(WINDOW_DEFAULT).describe(fields.windowMinutes),
  minCount: queryInteger(0, COUNT_MAX).optional().describe(fields.minCount),
});

export const createAlertInput = z
  .strictObject({
    name: fields.name,
    enabled: fields.enabled.default(true),
    measure: fields.measure,
    model: fields.model.nullable().default(null),
    label: fields.label.nullable().default(null),
    findingId: fields.findingId.nullable().default(null),
    condition: fields.condition.default("threshold"),
    limit: bodyNumbers.limit,
    windowMinutes: bodyNumbers.windowMinutes.default(WINDOW_DEFAULT),
    minCount: bodyNumbers.minCount.optional(),
    mailMembers: fields.mailMembers.default(false),
    connectionIds: fields.connectionIds.default([]),
  })
  .meta({ examples: [{ name: "Calls fail", measure: "error_rate", limit: 0.05 }] });

const alertId = { alertId: idInput.describe("The alert.") };
export const alertIdInput = z.strictObject(alertId);
export const updateAlertInput = changing(
  z.strictObject({
    ...alertId,
    name: fields.name.optional(),
    enabled: fields.enabled.optional(),
    measure: fields.measure.optional(),
    model: fields.model.nullable().optional(),
    label: fields.label.nullable().optional(),
    findingId: fields.findingId.nullable().optional(),
    condition: fields.condition.optional(),
    limit: bodyNumbers.limit.optional(),
    windowMinutes: bodyNumbers.windowMinutes.optional(),
    minCount: bodyNumbers.minCount.optional(),
    mailMembers: fields.mailMembers.optional(),
    connectionIds: fields.connectionIds.optional(),
  }),
  ["alertId"],
).meta({ examples: [{ limit: 0.1 }] });

const definition = {
  measure: alertMeasure,
  model: z.string().nullable(),
  label: z.string().nullable(),
  findingId: z.string().nullable(),
  condition: alertCondition,
  limit: z.number(),
  windowMinutes: z.int(),
  minCount: z.int(),
};
/** What an alert is. Times are Unix ms. */
export const alertSettings = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  ...definition,
  mailMembers: z.boolean(),
  connectionIds: z.array(z.string()),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type AlertSettings = z.infer<typeof alertSettings>;

/** What the last evaluation found. `null` is unknown: a share of no calls, a cost without prices, too little past to compare. */
const measured = {
  value: z.number().nullable(),
  /** The number of calls, or conversations, that it is of; `null` for silence. */
  count: z.int().nullable(),
  /** The limit in the unit of the measure; that of a change moves with what is usual. */
  limitValue: z.number().nullable(),
};
/** Of a change: 1 if it fires as asked, more if it fires later because the last 28 days went beyond what was asked more than once. */
const factor = z.number().nullable();
export const alert = alertSettings.extend({
  state: alertState,
  /** `null` before the first evaluation. */
  evaluatedAt: z.number().nullable(),
  ...measured,
  factor,
});
export type Alert = z.infer<typeof alert>;

/** A time for which it fired; `clearedAt` is `null` while it does, `cleared` without a value if the alert was changed. */
export const alertFiring = z.object({
  id: z.string(),
  firedAt: z.number(),
  value: z.number(),
  limitValue: z.number(),
  count: z.int().nullable(),
  clearedAt: z.number().nullable(),
  clearedValue: z.number().nullable(),
});
export type AlertFiring = z.infer<typeof alertFiring>;

export const alertSettingsReply = z.object({ alert: alertSettings });
export const alertReply = z.object({ alert });
export const listAlertsInput = z.strictObject(pageInput);
export const alertsReply = z.object({
  alerts: z.array(alert),
  pagination,
  /** Whether this installation can send e-mail to members. */
  sendsMail: z.boolean(),
});
export const listAlertFiringsInput = z.strictObject({ ...alertId, ...pageInput });
export const alertFiringsReply = z.object({ firings: z.array(alertFiring), pagination });

/** The days that a preview evaluates at most. */
export const PREVIEW_DAYS = 14;
export const FIRINGS_SHOWN = 20;
export const alertPreviewReply = z.object({
  preview: z.object({
    /** The minutes evaluated, as `[from, to)`. */
    from: z.number(),
    to: z.number(),
    /** How often it would have fired. */
    fired: z.int(),
    /** The latest of these, newest first; `clearedAt` is `null` for one that would fire still. */
    firings: z.array(
      z.object({ firedAt: z.number(), clearedAt: z.number().nullable(), value: z.number(), limitValue: z.number() }),
    ),
    /** The last evaluation. */
    now: z.object({ state: alertState, ...measured }),
    factor,
    /** The measure's median and highest value in these days, `null` if nothing was measured, and the share of minutes with a decision. */
    median: z.number().nullable(),
    highest: z.number().nullable(),
    decided: z.number(),
    /** The highest value of each hour, and the limit then. */
    hours: z.array(z.object({ at: z.number(), value: z.number().nullable(), limitValue: z.number().nullable() })),
  }),
});
export type AlertPreview = z.infer<typeof alertPreviewReply>["preview"];

/** The alerts that fire, newest first. */
export const firingAlerts = z.object({
  count: z.int(),
  newest: z.array(
    z.object({ id: z.string(), name: z.string(), measure: alertMeasure, firedAt: z.number(), ...measured }),
  ),
});
export type FiringAlerts = z.infer<typeof firingAlerts>;
