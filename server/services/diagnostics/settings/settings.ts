import { eq } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { diagnosticSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { settingsReply, updateSettingsInput } from "../schemas";

/** On until a project turns it off: a new project should show its first Finding without a setting. */
const DEFAULTS = { automaticSchedulingEnabled: true };

export async function readSettings(ctx: Pick<Ctx, "db" | "projectId">) {
  const [row] = await ctx.db.select().from(diagnosticSettings).where(eq(diagnosticSettings.projectId, ctx.projectId));
  return row ? { automaticSchedulingEnabled: row.automaticSchedulingEnabled } : DEFAULTS;
}

export const getDiagnosticSettings = verb(
  {
    name: "diagnosticSettings.get",
    summary: "Read whether conversations are diagnosed by themselves.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: settingsReply,
  },
  async (ctx) => ({ settings: await readSettings(ctx) }),
);

export const updateDiagnosticSettings = verb(
  {
    name: "diagnosticSettings.update",
    summary: "Turn automatic diagnosis on or off.",
    description: "What is already queued still runs. Turned on again, it takes up the conversations of the meantime.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateSettingsInput,
    reply: settingsReply,
  },
  async (ctx, input) => {
    const before = await readSettings(ctx);
    const row = { projectId: ctx.projectId, ...input, updatedAt: NOW };
    await ctx.db
      .insert(diagnosticSettings)
      .values(row)
      .onConflictDoUpdate({ target: diagnosticSettings.projectId, set: row });
    const settings = await readSettings(ctx);
    auditNote(ctx, { before, after: settings });
    return { settings };
  },
);
