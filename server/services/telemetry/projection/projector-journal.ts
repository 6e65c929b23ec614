import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import type { ClaimedTraces } from "../ingest/claim-traces";

/** Identifies a database connection, so that other processes can check whether it is still open. */
const backendOf = (where: ReturnType<typeof sql>) => sql`
  select a.pid || ' ' || a.backend_start as backend from pg_stat_activity a where ${where}`;

/**
 * Records what a projector is working on, committed before the work begins: if the process dies, its transaction and claim
 * are rolled back, but others can still tell what it was working on.
 */
export function createJournal(database: Db) {
  const id = randomUUID();
  return {
    async begin(tx: Db, claims: readonly ClaimedTraces[]) {
      const [mine] = await tx.execute<{ backend: string }>(backendOf(sql`a.pid = pg_backend_pid()`));
      const pairs = claims.flatMap(({ projectId, traceIds }) => traceIds.map((traceId) => [projectId, traceId]));
      // No need to wait for the disk: an entry lost in a database crash would not have implicated any trace.
      await database.execute(sql`
        with quick as materialized (select set_config('synchronous_commit', 'off', true))
        insert into projectors (id, backend, working_on)
        select ${id}::text, ${mine?.backend ?? ""}::text, ${JSON.stringify(pairs)}::text::jsonb from quick
        on conflict (id) do update set backend = excluded.backend, working_on = excluded.working_on`);
    },
    /** Clears the entry in the transaction of the work, so that both commit together. */
    async end(tx: Db) {
      await tx.execute(sql`update projectors set working_on = '[]', progressed_at = ${NOW} where id = ${id}`);
    },
    /** Clears the entry after the work failed without ending the process. */
    async clear() {
      await database.execute(sql`update projectors set working_on = '[]' where id = ${id} and working_on <> '[]'`);
    },
    async leave() {
      await database.execute(sql`delete from projectors where id = ${id}`);
    },
  };
}
export type Journal = ReturnType<typeof createJournal>;

const IS_CONNECTED = sql`exists (${backendOf(sql`a.pid || ' ' || a.backend_start = p.backend`)})`;

/** Deletes the entries of processes that no longer exist, and returns the traces that they were working on. */
export async function takeOrphanedEntries(tx: Db): Promise<[projectId: string, traceId: string][]> {
  const orphaned = await tx.execute<{ id: string; working_on: [string, string][] }>(sql`
    select p.id, p.working_on from projectors p where p.working_on <> '[]' and not ${IS_CONNECTED} for update skip locked`);
  if (orphaned.length === 0) return [];
  await tx.execute(sql`delete from projectors where id = any(${sql.param([...orphaned].map(({ id }) => id))}::text[])`);
  return [...orphaned].flatMap((row) => row.working_on);
}
