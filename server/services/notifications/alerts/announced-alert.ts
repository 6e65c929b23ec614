import { and, eq } from "drizzle-orm";
import { alertFirings, alerts } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { AlertEvent, AnnouncedAlert } from "./alert-message";

/** Returns what a message says about a firing that began or ended; `null` if its alert no longer exists. */
export async function announcedAlert(ctx: Ctx, firingId: string, event: AlertEvent): Promise<AnnouncedAlert | null> {
  const [row] = await ctx.db
    .select({ alert: alerts, firing: alertFirings })
    .from(alertFirings)
    .innerJoin(alerts, and(eq(alerts.projectId, alertFirings.projectId), eq(alerts.id, alertFirings.alertId)))
    .where(and(eq(alertFirings.projectId, ctx.projectId), eq(alertFirings.id, firingId)));
  if (!row) return null;
  const { alert, firing } = row;
  const measured =
    event === "fired"
      ? firing
      : { value: firing.clearedValue, limitValue: firing.clearedLimit, count: firing.clearedCount };
  return {
    ...alert,
    firedAt: firing.firedAt,
    clearedAt: event === "fired" ? null : firing.clearedAt,
    value: measured.value,
    limitValue: measured.limitValue,
    count: measured.count,
  };
}
