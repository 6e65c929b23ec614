import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

/** `quota` tokens per `windowSeconds`; a full bucket holds one window's worth. */
export type Quota = { quota: number; windowSeconds: number };

export type Taken = { granted: number; level: number };

/**
 * Takes tokens out of a bucket that all processes share, in one statement: at least `need` or none, and up to `want`.
 * `back` returns unspent tokens of the last batch. Returns the tokens granted and the level left. A request larger than
 * the whole bucket is admitted when the bucket is full, and leaves a debt.
 *
 * Commits asynchronously: a database crash loses a second of counting, which is cheaper than a disk flush per batch.
 */
export async function takeFromBucket(
  db: Db,
  { projectId, id }: { projectId: string; id: string },
  { quota, windowSeconds }: Quota,
  { need, want, back }: { need: number; want: number; back: number },
): Promise<Taken> {
  const perMs = quota / windowSeconds / 1000;
  // If the clock was set back, nothing refills this time; refilling goes on from the new time.
  const level = sql`least(${quota}::float8,
    b.tokens + greatest(0, excluded.refilled_at - b.refilled_at) * ${perMs}::float8 + ${back}::float8)`;
  const granted = sql`case when ${level} >= ${Math.min(need, quota)}::float8
    then greatest(${need}::float8, least(${want}::float8, ${level})) else 0 end`;
  const first = Math.max(need, Math.min(want, quota));
  const [row] = await db.execute<{ tokens: number; granted: number }>(sql`
    with quick as materialized (select set_config('synchronous_commit', 'off', true) as said)
    insert into rate_buckets as b (project_id, id, tokens, granted, refilled_at)
    select p.id, ${id}::text, ${quota - first}::float8, ${first}::float8, ${NOW}
    from projects p, quick where p.id = ${projectId} and quick.said is not null
    on conflict (project_id, id) do update
      set tokens = ${level} - (${granted}), granted = ${granted}, refilled_at = excluded.refilled_at
    returning tokens, granted`);
  // No row: the project is being deleted, and the request fails for that reason later.
  return row ? { granted: row.granted, level: row.tokens } : { granted: need, level: quota };
}
