import { eq } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { diagnosticSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { settingsReply, updateSettingsInput } from "../schemas";

/** On by default, so that a new project gets its first Finding without any setup. */
const DEFAULTS = { automaticSchedulingEnabled: true };

export async function readSettings(ctx: Pick<Ctx, "db" | "projectId">) {
  const [row] = await ctx.db.select().from(diagnosticSettings).where(eq(diagnosticSettings.projectId, ctx.projectId));
  return row ? { automaticSchedulingEnabled: row.automaticSchedulingEnabled } : DEFAULTS;
}

export const getDiagnosticSettings = verb(
  {
    name: "diagnosticSettings.get",
    summary: "Read whether conversations are diagnosed automatically.",
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
    description:
      "Runs that are already queued still execute. Turning it on again also diagnoses conversations from the time it was off.",
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
