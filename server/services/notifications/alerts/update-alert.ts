import { and, eq, isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { alertFirings, alerts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import {
  type AlertRow,
  audited,
  channelsOf,
  checkDefinition,
  checkMail,
  isAlert,
  lockAlert,
  requireMeasure,
  setChannels,
  settingsJson,
} from "./alerts";
import { alertSettingsReply, updateAlertInput } from "./schemas";

/** Where an alert stands says nothing about it once one of these has changed. */
const DECISIVE = [
  "enabled",
  "measure",
  "model",
  "label",
  "findingId",
  "condition",
  "limit",
  "windowMinutes",
  "minCount",
] as const;
const NOT_EVALUATED = {
  state: "no_data",
  streak: 0,
  evaluatedAt: null,
  value: null,
  count: null,
  limitValue: null,
  calibratedDay: null,
  factor: null,
} as const;

export const updateAlert = verb(
  {
    name: "alerts.update",
    summary: "Change an alert, or turn it on or off.",
    description:
      "Omitted fields keep their value. A change of what is measured, of the limit or of `enabled` starts it anew: a firing ends without a message.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateAlertInput,
    reply: alertSettingsReply,
  },
  async (ctx, { alertId, connectionIds, ...sent }) => {
    const before = await lockAlert(ctx, alertId);
    const channels = (await channelsOf(ctx, [alertId])).get(alertId) ?? [];
    const changes = Object.fromEntries(
      Object.entries(sent).filter(([, value]) => value !== undefined),
    ) as Partial<AlertRow>;
    const wanted = { ...before, ...changes };
    requireMeasure(ctx, wanted.measure);
    await checkDefinition(ctx, wanted);
    if (changes.mailMembers) checkMail(true);
    const isNew = DECISIVE.some((field) => wanted[field] !== before[field]);
    const [row] = await ctx.db
      .update(alerts)
      .set({ ...changes, ...(isNew ? NOT_EVALUATED : {}), updatedAt: NOW })
      .where(isAlert(ctx, alertId))
      .returning();
    if (!row) throw new Error("The update of a locked alert returned no row.");
    if (isNew)
      await ctx.db
        .update(alertFirings)
        .set({ clearedAt: NOW })
        .where(
          and(
            eq(alertFirings.projectId, ctx.projectId),
            eq(alertFirings.alertId, alertId),
            isNull(alertFirings.clearedAt),
          ),
        );
    if (connectionIds) await setChannels(ctx, alertId, connectionIds);
    const now = connectionIds ?? channels;
    auditNote(ctx, { before: audited(before, channels), after: audited(row, now) });
    return { alert: settingsJson(row, now) };
  },
);
