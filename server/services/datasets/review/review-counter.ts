import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { reviewerOf } from "./candidates";
import type { ReviewCounter } from "./schemas";

/** Counts waiting candidates and the caller's recent decisions. */
export async function reviewCounterOf(ctx: Ctx, datasetId?: string): Promise<ReviewCounter> {
  const dataset = datasetId === undefined ? sql`` : sql`and c.dataset_id = ${datasetId}`;
  const mine = sql`c.project_id = ${ctx.projectId} and c.reviewed_by = ${reviewerOf(ctx)} ${dataset}`;
  const [row] = await ctx.db.execute<ReviewCounter>(sql`
    select
      (select count(*)::int from example_candidates c
        join datasets d on d.project_id = c.project_id and d.id = c.dataset_id and d.deleted_at is null
        where c.project_id = ${ctx.projectId} and c.status = 'waiting' ${dataset}) as waiting,
      (select count(*)::int from example_candidates c where ${mine} and c.reviewed_at >= ${NOW} / ${DAY_MS}::bigint * ${DAY_MS}::bigint)
        as "doneToday",
      (select count(*)::int from example_candidates c where ${mine} and c.reviewed_at >= ${NOW} - ${HOUR_MS}::bigint) as "perHour"`);
  if (!row) throw new Error("A count returned no row.");
  return row;
}
