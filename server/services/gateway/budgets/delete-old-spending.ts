import { and, eq, lt } from "drizzle-orm";
import { gatewaySpending } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";

/** Only today's counts; the others are for whoever looks into a refusal. */
const KEPT_DAYS = 31;

/** Deletes what was spent of budgets more than a month before `now` (Unix ms). Returns how many rows. */
export async function deleteOldSpending({ db, projectId }: Ctx, now: number): Promise<number> {
  const isOld = and(
    eq(gatewaySpending.projectId, projectId),
    lt(gatewaySpending.day, Math.floor(now / DAY_MS) - KEPT_DAYS),
  );
  return (await db.delete(gatewaySpending).where(isOld)).count;
}
