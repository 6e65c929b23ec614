import { eq } from "drizzle-orm";
import { diagnosticSettings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { modelConnections } from "@/server/services/connections";
import { type DailyLimits, dailyLimitsOf } from "./budget";

export type Adjudicator = {
  connectionId: string;
  defaultModel: string | null;
  limits: DailyLimits;
  /** Days for which an answer is reused. */
  cacheDays: number;
};

export const DEFAULT_CACHE_DAYS = 30;

/**
 * Returns the project's adjudicator: the model connection that its settings name, or its only one if they name none. `null`
 * if there is none; a deleted connection is not silently replaced by another.
 */
export async function findAdjudicator(ctx: Pick<Ctx, "db" | "projectId">): Promise<Adjudicator | null> {
  const all = await modelConnections(ctx);
  if (all.length === 0) return null;
  const [settings] = await ctx.db
    .select({
      named: diagnosticSettings.adjudicatorConnectionId,
      cacheDays: diagnosticSettings.adjudicationCacheDays,
    })
    .from(diagnosticSettings)
    .where(eq(diagnosticSettings.projectId, ctx.projectId));
  const named = settings?.named ?? null;
  const chosen = named === null ? (all.length === 1 ? all[0] : undefined) : all.find(({ id }) => id === named);
  if (!chosen) return null;
  return {
    connectionId: chosen.id,
    defaultModel: chosen.settings.defaultModel,
    limits: dailyLimitsOf(chosen.settings),
    cacheDays: settings?.cacheDays ?? DEFAULT_CACHE_DAYS,
  };
}
