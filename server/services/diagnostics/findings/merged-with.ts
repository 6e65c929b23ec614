import { eq, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

/** Throws a 404 for an id that is not a Finding of the project. */
export async function requireFinding(ctx: Ctx, findingId: string) {
  const [row] = await ctx.db
    .select({ id: findings.id })
    .from(findings)
    .where(sql`${eq(findings.projectId, ctx.projectId)} and ${eq(findings.id, findingId)}`);
  if (!row) throw notFound("Finding");
}

/** Returns a list of a Finding's id and the ids of those that were merged into it, directly or through others, as SQL. */
export const mergedWith = (ctx: Ctx, findingId: string) => sql`array(
  with recursive own (id) as (
    select ${findingId}::text
    union
    select f.id from findings f join own on f.merged_into_id = own.id where f.project_id = ${ctx.projectId}
  ) select id from own)`;
