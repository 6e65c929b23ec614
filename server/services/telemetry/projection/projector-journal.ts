import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import type { ClaimedTraces } from "../ingest/claim-traces";

/** The connection of a transaction, as anybody can see whether it is still there. */
const backendOf = (where: ReturnType<typeof sql>) => sql`
  select a.pid || ' ' || a.backend_start as backend from pg_stat_activity a where ${where}`;

/**
 * What a projector has under way, committed before it begins: if the process ends in the middle, others can tell what it
 * was at, though its transaction, with the claim, is undone.
 */
export function createJournal(database: Db) {
  const id = randomUUID();
  return {
    async begin(tx: Db, claims: readonly ClaimedTraces[]) {
      const [mine] = await tx.execute<{ backend: string }>(backendOf(sql`a.pid = pg_backend_pid()`));
      const pairs = claims.flatMap(({ projectId, traceIds }) => traceIds.map((traceId) => [projectId, traceId]));
      // A database that dies forgets it, and did not have the process die of anything.
      await database.execute(sql`
        with quick as materialized (select set_config('synchronous_commit', 'off', true) as said)
        insert into projectors (id, backend, working_on)
        select ${id}::text, ${mine?.backend ?? ""}::text, ${JSON.stringify(pairs)}::text::jsonb from quick
        on conflict (id) do update set backend = excluded.backend, working_on = excluded.working_on`);
    },
    /** In the transaction of the work: done and told together. */
    async end(tx: Db) {
      await tx.execute(sql`update projectors set working_on = '[]', progressed_at = ${NOW} where id = ${id}`);
    },
    /** The work failed and the process lives on. */
    async clear() {
      await database.execute(sql`update projectors set working_on = '[]' where id = ${id} and working_on <> '[]'`);
    },
    async leave() {
      await database.execute(sql`delete from projectors where id = ${id}`);
    },
  };
}
export type Journal = ReturnType<typeof createJournal>;

const IS_THERE = sql`exists (${backendOf(sql`a.pid || ' ' || a.backend_start = p.backend`)})`;

/** What processes that are gone had under way, once: their entries end with the transaction. */
export async function takeOrphanedEntries(tx: Db): Promise<[projectId: string, traceId: string][]> {
  const dead = await tx.execute<{ id: string; working_on: [string, string][] }>(sql`
    select p.id, p.working_on from projectors p where p.working_on <> '[]' and not ${IS_THERE} for update skip locked`);
  if (dead.length === 0) return [];
  await tx.execute(sql`delete from projectors where id = any(${sql.param([...dead].map(({ id }) => id))}::text[])`);
  return [...dead].flatMap((row) => row.working_on);
}
