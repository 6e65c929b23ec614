import { NOW } from "@/db/now";
import { alerts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import {
  audited,
  checkDefinition,
  checkMail,
  minCountOf,
  requireMeasure,
  requireRoom,
  setChannels,
  settingsJson,
} from "./alerts";
import { alertSettingsReply, createAlertInput } from "./schemas";

export const createAlert = verb(
  {
    name: "alerts.create",
    summary: "Create an alert on the cost, errors, latency or silence of a project, or on the share of a Finding.",
    description:
      "It is evaluated every minute, fires after two evaluations in a row at or beyond its limit, and clears after three that are 10% inside of it: one message each. A measure of costs also requires `model-pricing:read`. A model, a label, a change or a Finding where the measure has none, a `connectionId` that is no webhook with a secret, and e-mail without a mail server are a 422. A project has at most 50.",
    effect: "write",
    capability: "diagnostics:write",
    input: createAlertInput,
    reply: alertSettingsReply,
  },
  async (ctx, { connectionIds, minCount, ...input }) => {
    requireMeasure(ctx, input.measure);
    const definition = { ...input, minCount: minCount ?? minCountOf(input) };
    await checkDefinition(ctx, definition);
    checkMail(input.mailMembers);
    await requireRoom(ctx);
    const [row] = await ctx.db
      .insert(alerts)
      .values({ projectId: ctx.projectId, id: newId("alr"), ...definition, updatedAt: NOW })
      .returning();
    if (!row) throw new Error("The insert of an alert returned no row.");
    await setChannels(ctx, row.id, connectionIds);
    auditNote(ctx, { target: { type: "alert", id: row.id }, after: audited(row, connectionIds) });
    return { alert: settingsJson(row, connectionIds) };
  },
);
