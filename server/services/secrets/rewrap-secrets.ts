import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { ringKeys } from "@/db/schema";
import { transact } from "@/server/platform/database/transact";
import { currentRingKey, rewrap, unwrapRingKey } from "@/server/platform/key-ring";
import { logger } from "@/server/platform/logging/log";
import { SEALED_FIELDS, type SealedField } from "./sealed-fields";

const ROWS_AT_ONCE = 100;

type Row = { projectId: string; id: string; dataKey: string; ringKey: string; wrapped: string };
type Rewrapped = Row & { to: { dataKey: string; ringKey: string } };

/**
 * Rewraps stored secrets under the current ring key, batch by batch, for about `forMs` and at least one batch; `done`: none is
 * left under another key that can be opened. Unused keys are then removed from the ring. Safe to run twice, and concurrently
 * with writers.
 */
export async function rewrapSecrets(
  db: Db,
  { forMs }: { forMs: number },
): Promise<{ done: boolean; rewrapped: number }> {
  const until = performance.now() + forMs;
  let rewrapped = 0;
  for (const field of SEALED_FIELDS) {
    for (let after: Row | undefined, more = true; more; ) {
      const batch = await rewrapBatch(db, field, after);
      rewrapped += batch.rewrapped;
      after = batch.last;
      more = batch.last !== undefined;
      if (batch.rewrapped > 0 && performance.now() > until) return { done: false, rewrapped };
    }
  }
  await removeUnusedRingKeys(db);
  return { done: true, rewrapped };
}

const rewrapBatch = (db: Db, field: SealedField, after: Row | undefined) =>
  transact(db, async (tx) => {
    const current = await currentRingKey(tx);
    const retired = await tx.select().from(ringKeys).where(eq(ringKeys.current, false));
    const opening = retired.filter(unwrapRingKey).map(({ id }) => id);
    if (opening.length === 0) return { rewrapped: 0, last: undefined };
    const rows = await readRows(tx, field, opening, after);
    const changed = rows.flatMap((row) => {
      const location = { projectId: row.projectId, id: row.id, field: field.name };
      try {
        return [
          { ...row, to: rewrap(location, { id: row.ringKey, wrapped: row.wrapped, dataKey: row.dataKey }, current) },
        ];
      } catch {
        logger("secrets").warn(
          { field: field.name, id: row.id },
          "A stored secret cannot be decrypted and is left unchanged.",
        );
        return [];
      }
    });
    return { rewrapped: await storeRows(tx, field, changed), last: rows.at(-1) };
  });

const readRows = (tx: Db, field: SealedField, ringKeyIds: readonly string[], after: Row | undefined) =>
  tx
    .select({
      projectId: field.projectId,
      id: field.id,
      dataKey: field.dataKey,
      ringKey: field.ringKey,
      wrapped: ringKeys.wrapped,
    })
    .from(field.table)
    .innerJoin(ringKeys, eq(ringKeys.id, field.ringKey))
    .where(
      and(
        inArray(field.ringKey, [...ringKeyIds]),
        after &&
          sql`(${field.ringKey}, ${field.projectId}, ${field.id}) > (${after.ringKey}, ${after.projectId}, ${after.id})`,
      ),
    )
    .orderBy(asc(field.ringKey), asc(field.projectId), asc(field.id))
    .limit(ROWS_AT_ONCE) as unknown as Promise<Row[]>;

/** Skips rows whose secret has been replaced in the meantime: they have a different data key. */
async function storeRows(tx: Db, field: SealedField, rows: readonly Rewrapped[]): Promise<number> {
  if (rows.length === 0) return 0;
  const name = (column: SealedField["id"]): SQL => sql`${sql.identifier(column.name)}`;
  const values = rows.map(
    (row) => sql`(${row.projectId}, ${row.id}, ${row.dataKey}, ${row.to.dataKey}, ${row.to.ringKey})`,
  );
  const stored = await tx.execute(sql`
    update ${field.table} as t set ${name(field.dataKey)} = v.data_key, ${name(field.ringKey)} = v.ring_key
    from (values ${sql.join(values, sql`, `)}) as v (project_id, id, was, data_key, ring_key)
    where t.${name(field.projectId)} = v.project_id and t.${name(field.id)} = v.id and t.${name(field.dataKey)} = v.was`);
  return stored.count;
}

async function removeUnusedRingKeys(db: Db): Promise<void> {
  const unused = SEALED_FIELDS.map(
    ({ table, ringKey }) => sql`not exists (select 1 from ${table} where ${ringKey} = ${ringKeys.id})`,
  );
  await db.delete(ringKeys).where(and(eq(ringKeys.current, false), ...unused));
}
