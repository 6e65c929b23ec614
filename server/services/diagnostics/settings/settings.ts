import { eq } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { diagnosticSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { modelConnections } from "@/server/services/connections";
import { DEFAULT_CACHE_DAYS, findAdjudicator, usedToday } from "../adjudicator";
import { changedSettingsReply, settingsReply, updateSettingsInput } from "../schemas";

/** On by default, so that a new project gets its first Finding without any setup. */
const DEFAULTS = {
  automaticSchedulingEnabled: true,
  adjudicatorConnectionId: null,
  adjudicationCacheDays: DEFAULT_CACHE_DAYS,
  collectionMasking: "mask" as const,
};

export async function readSettings(ctx: Pick<Ctx, "db" | "projectId">) {
  const [row] = await ctx.db.select().from(diagnosticSettings).where(eq(diagnosticSettings.projectId, ctx.projectId));
  if (!row) return DEFAULTS;
  const { automaticSchedulingEnabled, adjudicatorConnectionId, adjudicationCacheDays, collectionMasking } = row;
  return { automaticSchedulingEnabled, adjudicatorConnectionId, adjudicationCacheDays, collectionMasking };
}

export const getDiagnosticSettings = verb(
  {
    name: "diagnosticSettings.get",
    summary: "Read whether conversations are diagnosed automatically, and the adjudicator with what it used today.",
    description:
      "`adjudicator` is `null` if the project has no usable model connection for it; otherwise `usedToday` counts its calls, tokens and US dollars since midnight (UTC), next to its daily limits.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: settingsReply,
  },
  async (ctx) => {
    const adjudicator = await findAdjudicator(ctx);
    return {
      settings: await readSettings(ctx),
      adjudicator: adjudicator && {
        connectionId: adjudicator.connectionId,
        defaultModel: adjudicator.defaultModel,
        dailyLimits: adjudicator.limits,
        usedToday: await usedToday(ctx, adjudicator.connectionId),
      },
    };
  },
);

export const updateDiagnosticSettings = verb(
  {
    name: "diagnosticSettings.update",
    summary:
      "Turn automatic diagnosis on or off, choose the adjudicator, set how long its answers are reused, or how collection masks Examples.",
    description:
      "Omitted fields keep their value. `adjudicatorConnectionId` is a connection of kind `model` (422 otherwise). Adjudicator answers older than `adjudicationCacheDays` are not reused, and are deleted within a day. With `collectionMasking` `mask`, collection replaces personal data and secrets with placeholders; with `hold_back` it collects no Example that contains any. Runs that are already queued still execute. Turning automatic diagnosis on again also diagnoses conversations from the time it was off.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateSettingsInput,
    reply: changedSettingsReply,
  },
  async (ctx, input) => {
    const { adjudicatorConnectionId: named } = input;
    if (named && !(await modelConnections(ctx)).some(({ id }) => id === named))
      throw unprocessable("/adjudicatorConnectionId", "This project has no model connection with this id.");
    const before = await readSettings(ctx);
    const { automaticSchedulingEnabled, adjudicationCacheDays, collectionMasking } = input;
    const changes = {
      ...(automaticSchedulingEnabled !== undefined && { automaticSchedulingEnabled }),
      ...(named !== undefined && { adjudicatorConnectionId: named }),
      ...(adjudicationCacheDays !== undefined && { adjudicationCacheDays }),
      ...(collectionMasking !== undefined && { collectionMasking }),
      updatedAt: NOW,
    };
    await ctx.db
      .insert(diagnosticSettings)
      .values({ projectId: ctx.projectId, ...DEFAULTS, ...changes })
      .onConflictDoUpdate({ target: diagnosticSettings.projectId, set: changes });
    const settings = await readSettings(ctx);
    auditNote(ctx, { before, after: settings });
    return { settings };
  },
);
