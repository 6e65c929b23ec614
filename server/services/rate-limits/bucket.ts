import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";

/** So much in each `windowSeconds`; a bucket that was left alone holds one window's worth. */
export type Quota = { quota: number; windowSeconds: number };

export type Taken = { granted: number; level: number };

/**
 * Takes tokens out of a bucket that all processes share, in one statement: `need` of them at least, or none, and up to
 * `want`; `back` are those of the last handful that were not spent. Answers what was given and what is left. A request
 * that is larger than the whole bucket is let through when the bucket is full, and leaves a debt.
 *
 * The commit is not waited for: a database that dies forgets a second's counting, which is cheaper than a disk's answer
 * for each handful.
 */
export async function takeFromBucket(
  db: Db,
  { projectId, id }: { projectId: string; id: string },
  { quota, windowSeconds }: Quota,
  { need, want, back }: { need: number; want: number; back: number },
): Promise<Taken> {
  const perMs = quota / windowSeconds / 1000;
  // The clock may have been set back: then nothing flowed in, and it flows from the new time on.
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
  // No row: the project is just being deleted, and the request will be told so.
  return row ? { granted: row.granted, level: row.tokens } : { granted: need, level: quota };
}
