import { and, eq, type SQL, sql } from "drizzle-orm";
import { apiKeys, backfills, users } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { Backfill } from "./schemas";

type Row = typeof backfills.$inferSelect;
export type Counts = Backfill["counts"];

export const isFinished = ({ scanStatus }: Pick<Row, "scanStatus">) =>
  scanStatus === "completed" || scanStatus === "completed_with_errors" || scanStatus === "failed";

export const outstanding = ({ queued, running }: Counts) => queued + running;
export const finishedRuns = ({ completed, skipped, failed }: Counts) => completed + skipped + failed;

const COUNTS = sql<Counts>`(
  select json_build_object('queued', coalesce(sum(n.queued), 0), 'running', coalesce(sum(n.running), 0),
    'completed', coalesce(sum(n.completed), 0), 'skipped', coalesce(sum(n.skipped), 0), 'failed', coalesce(sum(n.failed), 0))
  from backfill_counts n where n.project_id = "backfills"."project_id" and n.backfill_id = "backfills"."id")`;

export async function readBackfill(ctx: Ctx, id: string): Promise<Backfill> {
  const [found] = await readBackfills(ctx, eq(backfills.id, id));
  if (!found) throw notFound("Backfill");
  return found;
}

/** Returns backfills of the project with their counts and the requester's name. */
export async function readBackfills(
  { db, projectId }: Ctx,
  condition: SQL | undefined,
  { order = [], limit = 1 }: { order?: SQL[]; limit?: number } = {},
): Promise<Backfill[]> {
  const rows = await db
    .select({ row: backfills, counts: COUNTS, email: users.email, key: apiKeys.name })
    .from(backfills)
    .leftJoin(users, and(eq(backfills.actorKind, "user"), eq(users.id, backfills.actorId)))
    .leftJoin(
      apiKeys,
      and(
        eq(backfills.actorKind, "apiKey"),
        eq(apiKeys.projectId, backfills.projectId),
        eq(apiKeys.id, backfills.actorId),
      ),
    )
    .where(and(eq(backfills.projectId, projectId), condition))
    .orderBy(...order)
    .limit(limit);
  const base = `/v1/projects/${projectId}/diagnostics`;
  return rows.map(({ row, counts, email, key }) => ({
    ...row,
    counts,
    etaMs: etaOf(row, counts),
    actorName: email ?? key,
    links: { rule: `${base}/rules#${row.ruleId}`, runs: `${base}/rule-runs?backfillId=${row.id}` },
  }));
}

function etaOf(row: Row, counts: Counts): number | null {
  if (isFinished(row) || row.pausedAt !== null || !row.rate) return null;
  // The window may have grown since the request.
  const total =
    row.scanStatus === "processing"
      ? row.conversationsScanned
      : Math.max(row.conversationsExpected, row.conversationsScanned);
  return Math.round((Math.max(0, total - finishedRuns(counts)) / row.rate) * 1000);
}
