import { asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { databaseNow } from "@/db/database-now";
import { MEASURED_TABLES, type MeasuredTable } from "@/db/deletion-registry";
import { storedSizes } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { APP_ID, type FunctionName } from "@/server/platform/jobs/catalogue";
import { storageMeasurementRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { queuedReply, storageReply } from "./schemas";

const MEASURES: FunctionName = "measure-storage";
/** Rows in the sample from which the mean size is estimated. */
const SAMPLE = 1_000;

export const getStorage = verb(
  {
    name: "storage.get",
    summary: "Read the storage size of the project's data by table, as last measured.",
    description:
      "Measured once a day and on demand. `bytes` is an estimate: rows times the mean size of a sample, with indexes in proportion.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: storageReply,
  },
  async (ctx) => {
    const rows = await ctx.db
      .select()
      .from(storedSizes)
      .where(eq(storedSizes.projectId, ctx.projectId))
      .orderBy(asc(storedSizes.tableName));
    return {
      storage: {
        measuredAt: rows.length === 0 ? null : Math.max(...rows.map((row) => row.measuredAt)),
        measuring: await isMeasuring(ctx),
        rows: rows.reduce((sum, row) => sum + row.rows, 0),
        bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
        tables: rows.map((row) => ({ name: row.tableName, rows: row.rows, bytes: row.bytes })),
      },
    };
  },
);

/** Whether a requested measurement is queued or in progress. */
async function isMeasuring(ctx: Ctx): Promise<boolean> {
  const [row] = await ctx.db.execute<{ measuring: boolean }>(sql`
    select exists (
      select 1 from job_events where dispatched_at is null and project_id = ${ctx.projectId}
        and name = ${storageMeasurementRequested.name}
    ) or exists (
      select 1 from job_runs where finished_at is null and project_id = ${ctx.projectId}
        and function_id = ${`${APP_ID}-${MEASURES}`}
    ) as measuring`);
  return row?.measuring ?? false;
}

/** Returns the row counts by table as last measured; `undefined` before the first measurement. */
export async function measuredRows(ctx: Ctx) {
  const rows = await ctx.db.select().from(storedSizes).where(eq(storedSizes.projectId, ctx.projectId));
  const byTable = new Map(rows.map((row) => [row.tableName, row]));
  const at = byTable.get("conversations")?.measuredAt;
  return at === undefined ? undefined : { at, of: (table: MeasuredTable) => byTable.get(table)?.rows ?? 0 };
}

export const requestStorageMeasurement = verb(
  {
    name: "storage.measure",
    summary: "Measure the storage size of the project's data in the background.",
    description: "Takes seconds to minutes. `GET` the storage until `measuring` is `false`.",
    effect: "write",
    capability: "project:data:write",
    input: z.strictObject({}),
    reply: queuedReply,
  },
  async (ctx) => {
    auditNote(ctx, { target: null, after: null });
    await emit(ctx.db, storageMeasurementRequested.create({ projectId: ctx.projectId }));
    return { queued: true as const };
  },
);

/**
 * Measures the project's tables. Rows are counted exactly; their size is the mean `pg_column_size` of a sample (compressed, as
 * stored), and each table's indexes and dead space are apportioned by rows. All results are stored together, so a reader never
 * sees the sizes of only some tables.
 */
export async function measureStorage(ctx: Ctx, at?: number): Promise<void> {
  const measuredAt = at ?? (await databaseNow(ctx.db));
  const sizes: (typeof storedSizes.$inferInsert)[] = [];
  for (const table of MEASURED_TABLES) {
    const name = sql.identifier(table);
    const [row] = await ctx.db.execute<{ rows: string; bytes: string }>(sql`
      with counted as (select count(*) as rows from ${name} where project_id = ${ctx.projectId}),
      sampled as (
        select avg(pg_column_size(s.*)) as width from (
          select * from ${name} where project_id = ${ctx.projectId} limit ${SAMPLE}
        ) s
      ),
      indexes as (
        select pg_indexes_size(c.oid) / greatest(c.reltuples, (select rows from counted), 1) as width
        from pg_class c where c.oid = ${table}::regclass
      )
      select rows, (rows * (coalesce(sampled.width, 0) + indexes.width))::bigint as bytes from counted, sampled, indexes`);
    const [rows, bytes] = [Number(row?.rows ?? 0), Number(row?.bytes ?? 0)];
    sizes.push({ projectId: ctx.projectId, tableName: table, rows, bytes, measuredAt });
  }
  await ctx.db
    .insert(storedSizes)
    .values(sizes)
    .onConflictDoUpdate({
      target: [storedSizes.projectId, storedSizes.tableName],
      set: { rows: sql`excluded.rows`, bytes: sql`excluded.bytes`, measuredAt },
    });
}
