import { and, eq } from "drizzle-orm";
import { alerts } from "@/db/schema";
import { hasCapability } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { mailEnabled } from "@/server/services/mail";
import { alertJson, channelsOf, isAlert, isReadable } from "./alerts";
import { alertIdInput, alertReply, alertsReply, listAlertsInput } from "./schemas";

export const listAlerts = verb(
  {
    name: "alerts.list",
    summary: "List alerts, newest first, with what their last evaluation found.",
    description:
      "`state` is `firing` until it clears, whatever was measured since; `no_data` if nothing was measured, and `too_few` with fewer calls than `minCount` or too little past to compare with. Alerts on costs are listed only with `model-pricing:read`.",
    effect: "read",
    capability: "diagnostics:read",
    input: listAlertsInput,
    reply: alertsReply,
  },
  async (ctx, { limit, cursor }) => {
    const costs = hasCapability(ctx, ["model-pricing:read"]);
    const filters = { project: ctx.projectId, costs };
    const { rows, nextCursor } = await listPage({ name: "alerts", table: alerts, filters, limit, cursor }, (after) =>
      ctx.db
        .select()
        .from(alerts)
        .where(and(eq(alerts.projectId, ctx.projectId), isReadable(ctx), after)),
    );
    const ids = rows.map(({ id }) => id);
    const channels = ids.length === 0 ? new Map<string, string[]>() : await channelsOf(ctx, ids);
    return {
      alerts: rows.map((row) => alertJson(row, channels.get(row.id) ?? [])),
      pagination: { limit, nextCursor },
      sendsMail: mailEnabled(),
    };
  },
);

export const getAlert = verb(
  {
    name: "alerts.get",
    summary: "Read one alert, with what its last evaluation found.",
    description:
      "`value` is of the time that ends at `evaluatedAt`, of `count` calls, and is compared with `limitValue`. Where it is `null`, nothing is known, which is not 0.",
    effect: "read",
    capability: "diagnostics:read",
    input: alertIdInput,
    reply: alertReply,
  },
  async (ctx, { alertId }) => {
    const [row] = await ctx.db
      .select()
      .from(alerts)
      .where(and(isAlert(ctx, alertId), isReadable(ctx)));
    if (!row) throw notFound("The alert");
    return { alert: alertJson(row, (await channelsOf(ctx, [alertId])).get(alertId) ?? []) };
  },
);
