import { and, eq, sql } from "drizzle-orm";
import { alertFirings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { isReadable } from "./alerts";
import { getAlert } from "./list-alerts";
import { alertFiringsReply, type FiringAlerts, listAlertFiringsInput } from "./schemas";

export const listAlertFirings = verb(
  {
    name: "alerts.listFirings",
    summary: "List the times for which an alert fired, newest first.",
    description:
      "`value` and `limitValue` are those with which it began, `clearedValue` that with which it ended: `null` while it fires, and if it ended because the alert was changed or turned off.",
    effect: "read",
    capability: "diagnostics:read",
    input: listAlertFiringsInput,
    reply: alertFiringsReply,
  },
  async (ctx, { alertId, limit, cursor }) => {
    await getAlert(ctx, { alertId });
    const { after, order, fetch, page } = newestFirst({
      name: "alert-firings",
      filters: { project: ctx.projectId, alertId },
      time: alertFirings.firedAt,
      id: alertFirings.id,
      limit,
      cursor,
    });
    const found = await ctx.db
      .select()
      .from(alertFirings)
      .where(and(eq(alertFirings.projectId, ctx.projectId), eq(alertFirings.alertId, alertId), after))
      .orderBy(...order)
      .limit(fetch);
    const { rows, nextCursor } = page(found, ({ firedAt, id }) => [firedAt, id]);
    return { firings: rows, pagination: { limit, nextCursor } };
  },
);

const FIRING_SHOWN = 5;

/** Selects the alerts that fire now and that the caller may see, newest first, as JSON, for a larger statement. */
export const firingAlertsAsJson = (ctx: Ctx) => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('id', alerts.id, 'name', alerts.name, 'measure', alerts.measure,
      'firedAt', f.fired_at, 'value', alerts.value, 'count', alerts.count, 'limitValue', alerts.limit_value)
      order by f.fired_at desc, alerts.id), '[]')
    from alert_firings f join alerts on alerts.project_id = f.project_id and alerts.id = f.alert_id
    where f.project_id = ${ctx.projectId} and f.cleared_at is null and ${isReadable(ctx) ?? sql`true`})`;

/** Returns the number of firing alerts, and the newest. */
export const summaryOfFiring = (all: FiringAlerts["newest"]): FiringAlerts => ({
  count: all.length,
  newest: all.slice(0, FIRING_SHOWN),
});
