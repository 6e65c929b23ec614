import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";

/** Deletes assignments of experiments that ended more than a day ago, at most `limit`. Returns how many rows. */
export async function deleteOldAssignments({ db, projectId }: Ctx, limit: number): Promise<number> {
  const deleted = await db.execute(sql`
    delete from gateway_assignments where project_id = ${projectId} and ctid = any(array(
      select a.ctid from gateway_experiments e
      join gateway_assignments a on a.project_id = e.project_id and a.experiment_id = e.id
      where e.project_id = ${projectId} and e.ended_at < ${NOW} - ${DAY_MS}::bigint limit ${limit}
    ))`);
  return deleted.count;
}
