import { and, asc, eq, type SQLChunk, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { inOrder } from "@/db/in-order";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { compactions } from "@/db/schema";
import type { COMPACTED_TABLES } from "@/db/schema/enumerations";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { sharedSourcesLock } from "../ingest/tombstones";
import type { Attributes, AttributeValue, SpanEvent } from "../otlp/types";
import { ContentBatch, contentWrites, type StoredId, storedChunks } from "./content-batch";
import { lengthOf, type Taken, takeFromLog, takeFromSpan } from "./take-content";

/** Rows examined in one transaction, and stored bytes of those that are read. */
const ROWS_AT_A_TIME = 500;
const BYTES_AT_A_TIME = 2 * 2 ** 20;
/** A row that takes less, compressed, is not worth reading. */
const ROW_BYTES = 1_024;

/** Returns the projects whose older telemetry is being moved, earliest start first. */
export async function runningCompactions(db: Db): Promise<string[]> {
  const rows = await db
    .select({ projectId: compactions.projectId })
    .from(compactions)
    .where(eq(compactions.state, "running"))
    .orderBy(asc(compactions.createdAt), asc(compactions.projectId));
  return rows.map(({ projectId }) => projectId);
}

/**
 * Moves content of a project's older spans and log records to shared parts for about `forMs` milliseconds, a little per
 * transaction, so that it can stop at any point and resume. Yields to telemetry that is pending projection. Returns whether
 * nothing is left to do.
 */
export async function compactContent(ctx: Ctx, { forMs }: { forMs: number }): Promise<{ done: boolean }> {
  const until = performance.now() + forMs;
  do {
    if (await isBusy(ctx.db)) return { done: false };
    if (await inTransaction(ctx, compactSome)) return { done: true };
  } while (performance.now() < until);
  return { done: false };
}

async function isBusy(db: Db): Promise<boolean> {
  const rows = await db.execute(sql`select 1 from projection_queue where not backlog and retry_at = 0 limit 1`);
  return rows.length > 0;
}

/** Takes one step. Returns whether the compaction has ended or is paused. */
async function compactSome(tx: Ctx): Promise<boolean> {
  const ofProject = eq(compactions.projectId, tx.projectId);
  const [row] = await tx.db
    .select()
    .from(compactions)
    .where(and(ofProject, eq(compactions.state, "running")))
    .for("no key update");
  if (!row) return true;
  const { examined, moved, saved, last } = await moveSome(tx, row.tableName, row.after);
  const counts = {
    rowsExamined: row.rowsExamined + examined,
    rowsMoved: row.rowsMoved + moved,
    charactersSaved: row.charactersSaved + saved,
  };
  const change = (next: PgUpdateSetSource<typeof compactions>) =>
    tx.db
      .update(compactions)
      .set({ ...counts, ...next })
      .where(ofProject);
  if (last) await change({ after: last });
  else if (row.tableName === "spans") await change({ after: [], tableName: "log_records" });
  else {
    await change({ after: [], state: "completed", completedAt: NOW });
    return true;
  }
  return false;
}

/** A row; `other` is the column besides its attributes that has content. */
type Row = { key: string[]; attributes: Attributes; other: AttributeValue };
type LeftOfRow = Omit<Row, "key"> & { taken: readonly Taken[] };

const TABLES: Record<
  (typeof COMPACTED_TABLES)[number],
  { key: readonly string[]; other: string; take: (row: Row) => LeftOfRow }
> = {
  spans: {
    key: ["trace_id", "span_id"],
    other: "events",
    take: ({ attributes, other }) => {
      const events = (other ?? []) as unknown as SpanEvent[];
      const { left, taken } = takeFromSpan({ attributes, events });
      return { attributes: left.attributes, other: other && (left.events as unknown as AttributeValue), taken };
    },
  },
  log_records: {
    key: ["id"],
    other: "body",
    take: ({ attributes, other }) => {
      const { left, taken } = takeFromLog({ attributes, body: other });
      return { attributes: left.attributes, other: left.body, taken };
    },
  },
};

const list = (items: readonly SQLChunk[]) => sql.join([...items], sql`, `);

/**
 * Moves content of the next rows after this key; `last` is the key of the last row examined, undefined at the end of the table.
 */
async function moveSome({ db, projectId }: Ctx, name: keyof typeof TABLES, after: readonly string[]) {
  const table = TABLES[name];
  const [key, other] = [list(table.key.map((column) => sql.identifier(column))), sql.identifier(table.other)];
  const next = after.length > 0 ? sql`and (${key}) > (${list(after.map((value) => sql`${value}::text`))})` : sql``;
  const keys = await db.execute<Key>(sql`
    select array[${key}] as key, content is null as whole,
           pg_column_size(attributes) + coalesce(pg_column_size(${other}), 0) as bytes
    from ${sql.identifier(name)} where project_id = ${projectId} ${next} order by ${key} limit ${ROWS_AT_A_TIME}`);
  const { examined, last, wanted } = fitting([...keys]);
  if (wanted.length === 0) return { examined, moved: 0, saved: 0, last };

  // Taken before any telemetry row is locked, as in a deletion.
  await db.execute(sql`select ${sharedSourcesLock(projectId)}`);
  const values = table.key.map((_, at) => textArray(wanted.map((one) => one[at] ?? "")));
  // A locked row is being deleted, so it is skipped.
  const rows = await db.execute<Row>(sql`
    select array[${key}] as key, attributes, ${other} as other from ${sql.identifier(name)}
    where project_id = ${projectId} and content is null and (${key}) in (select * from unnest(${list(values)}))
    for no key update skip locked`);
  const batch = new ContentBatch(projectId);
  let taken = 0;
  const changed = [...rows].flatMap((row) => {
    const left = table.take(row);
    if (left.taken.length === 0) return [];
    taken += lengthOf(left.taken);
    return [{ key: row.key, attributes: left.attributes, other: left.other, ...batch.add(left.taken) }];
  });
  if (changed.length === 0) return { examined, moved: 0, saved: 0, last };
  const stored = await db.execute<StoredId>(storedChunks(projectId, batch));
  const { statements, characters } = await contentWrites(db, projectId, batch, stored);
  const matches = table.key.map((column, at) => sql`u.${sql.identifier(column)} = t.key[${sql.raw(`${at + 1}`)}]`);
  const update = sql`
    update ${sql.identifier(name)} u
    set attributes = t.attributes, ${other} = t.other, content = t.content, chunk_ids = t.chunk_ids
    from ${rowsOf(changed, "key text[], attributes jsonb, other jsonb, content jsonb, chunk_ids uuid[]")}
    where u.project_id = ${projectId} and ${sql.join(matches, sql` and `)}`;
  await inOrder(db, [...statements, update]);
  return { examined, moved: changed.length, saved: taken - characters, last };
}

type Key = { key: string[]; whole: boolean; bytes: number };

/** Chooses the first rows whose content fits in one step, at least one. */
function fitting(keys: readonly Key[]) {
  const wanted: string[][] = [];
  let room = BYTES_AT_A_TIME;
  let examined = 0;
  for (const { key, whole, bytes } of keys) {
    const isLong = whole && bytes >= ROW_BYTES;
    if (isLong && wanted.length > 0 && bytes > room) break;
    examined += 1;
    if (!isLong) continue;
    wanted.push(key);
    room -= bytes;
  }
  return { examined, last: keys[examined - 1]?.key, wanted };
}
