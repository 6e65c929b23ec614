import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { apiKeys, deletionReceipts, jobRuns, users } from "@/db/schema";
import type { Actor, Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import type { Deletion } from "./schemas";

type Row = typeof deletionReceipts.$inferSelect;
export type Counts = Readonly<Record<string, number>>;

const actorId = (actor: Actor) => {
  switch (actor.kind) {
    case "user":
      return actor.userId;
    case "apiKey":
      return actor.keyId;
    case "job":
      return actor.name;
    case "operator":
      return null;
  }
};

/** Creates a receipt that collects counts until it is completed. Returns its id. An existing id is left unchanged. */
export async function openReceipt(
  tx: Ctx,
  {
    scope,
    subject = null,
    expected = null,
    id = newId("del"),
  }: Pick<Row, "scope"> & Partial<Pick<Row, "subject" | "expected" | "id">>,
): Promise<string> {
  await tx.db
    .insert(deletionReceipts)
    .values({
      projectId: tx.projectId,
      id,
      scope,
      subject,
      expected,
      status: "queued",
      actorKind: tx.actor.kind,
      actorId: actorId(tx.actor),
    })
    .onConflictDoNothing();
  return id;
}

/** Adds counts to a receipt. Call it in the transaction that deleted the rows, so that the two cannot differ. */
export async function addCounts(tx: Db, id: string, ...counted: readonly Counts[]) {
  const sum: Record<string, number> = {};
  for (const counts of counted) {
    for (const [table, rows] of Object.entries(counts)) if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  }
  await tx.execute(sql`
    update deletion_receipts set status = 'running', counts = counts || coalesce((
      select jsonb_object_agg(key, value::bigint + coalesce((counts ->> key)::bigint, 0))
      from jsonb_each_text(${JSON.stringify(sum)}::text::jsonb)), '{}')
    where id = ${id} and status <> 'completed'`);
}

/** Completes a receipt and clears its subject. `remaining`: rows that a check afterwards still found, by table. */
export const completeReceipt = (tx: Db, id: string, remaining: Counts | null = null) =>
  tx
    .update(deletionReceipts)
    .set({ status: "completed", subject: null, remaining, completedAt: NOW })
    .where(eq(deletionReceipts.id, id));

/** Deletes all receipts of a project: nothing may remain of a sample. */
export const discardReceipts = ({ db, projectId }: Pick<Ctx, "db" | "projectId">) =>
  db.delete(deletionReceipts).where(eq(deletionReceipts.projectId, projectId));

export async function readReceipt(ctx: Pick<Ctx, "db" | "projectId">, id: string): Promise<Deletion | undefined> {
  const [deletion] = await readReceipts(ctx, eq(deletionReceipts.id, id));
  return deletion;
}

/** Returns receipts of the project, with the requester's name and, for a stalled deletion, the failed job. */
export async function readReceipts(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  condition: SQL | undefined,
  { order = [], limit = 1 }: { order?: SQL[]; limit?: number } = {},
): Promise<Deletion[]> {
  const failedJobId = sql<string | null>`case when ${deletionReceipts.status} <> 'completed' then (
    select r.id from ${jobRuns} r
    where r.project_id = ${deletionReceipts.projectId} and r.state = 'failed' and r.state in ('failed', 'cancelled')
      and r.event #>> '{data,deletionId}' = ${deletionReceipts.id}
    order by r.created_at desc limit 1) end`;
  const rows = await db
    .select({ row: deletionReceipts, email: users.email, key: apiKeys.name, failedJobId })
    .from(deletionReceipts)
    .leftJoin(users, and(eq(deletionReceipts.actorKind, "user"), eq(users.id, deletionReceipts.actorId)))
    .leftJoin(
      apiKeys,
      and(
        eq(deletionReceipts.actorKind, "apiKey"),
        eq(apiKeys.projectId, deletionReceipts.projectId),
        eq(apiKeys.id, deletionReceipts.actorId),
      ),
    )
    .where(and(eq(deletionReceipts.projectId, projectId), condition))
    .orderBy(...order)
    .limit(limit);
  return rows.map(({ row, email, key, failedJobId }) => ({ ...row, actorName: email ?? key, failedJobId }));
}
