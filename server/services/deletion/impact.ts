import { sql } from "drizzle-orm";
import { CONVERSATION_KEYS, PREVIEWED_TABLES, type PreviewFigure } from "@/db/deletion-registry";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { DeletionPreview } from "./schemas";

/** Conversations whose rows are counted. Beyond this, "many" is enough for a person, and counting takes too long. */
export const CONVERSATIONS_COUNTED = 250;
/** Findings that are listed; the rest are only counted. */
const NAMED = 10;

type Impact = Omit<DeletionPreview, "scope" | "conversations" | "examples" | "files" | "complete" | "measuredAt">;

/**
 * Returns what deleting these conversations deletes with them. A Finding without Occurrences elsewhere is deleted; others
 * are recounted.
 */
export async function impactOf(ctx: Ctx, conversationIds: readonly string[]): Promise<Impact> {
  // As a subquery: with literal ids, the planner would check each one against the statistics of every table.
  const ids = sql`array(select unnest(${sql.param([...conversationIds])}::text[]))`;
  const mine = sql`project_id = ${ctx.projectId}`;
  const ofThese = sql`${mine} and conversation_id = any(${ids})`;
  const ofTraces = sql`${mine} and trace_id = any(array(select id from traces where ${ofThese}))`;
  const figures = PREVIEWED_TABLES.map(({ table, figure }) => {
    const where = CONVERSATION_KEYS.get(table) === "trace_id" ? ofTraces : ofThese;
    return sql`(select count(*)::int from ${sql.identifier(table)} where ${where}) as ${sql.identifier(figure)}`;
  });
  const [counts] = await ctx.db.execute<Counts>(sql`
    select ${sql.join(figures, sql`, `)}, (select min(last_activity_at) from conversations where ${mine} and id = any(${ids})) as oldest`);
  const findings = await ctx.db.execute<{ id: string; title: string; goes: boolean; going: number; total: number }>(sql`
    with touched as (
      select f.id, f.title, f.occurrence_count <= o.shown as goes from (
        select finding_id, count(*) as shown from occurrences where ${ofThese} group by finding_id
      ) o join findings f on f.project_id = ${ctx.projectId} and f.id = o.finding_id
    )
    select *, (count(*) filter (where goes) over ())::int as going, (count(*) over ())::int as total
    from touched order by goes desc, title, id limit ${NAMED}`);
  const { oldest, ...rest } = counts!;
  const { going = 0, total = 0 } = findings[0] ?? {};
  return {
    ...rest,
    findings: going,
    recountedFindings: total - going,
    touchedFindings: [...findings].map(({ id, title, goes }) => ({ id, title, goes })),
    oldestActivityAt: oldest === null ? null : Number(oldest),
  };
}

type Counts = Pick<Impact, PreviewFigure> & { oldest: string | null };

/**
 * Returns how many Examples and import files are deleted with these conversations and this user, whose Examples may be older.
 */
export async function datasetImpactOf(
  { db, projectId }: Ctx,
  conversationIds: readonly string[],
  userId: string | null = null,
): Promise<Pick<DeletionPreview, "examples" | "files">> {
  const theirs = sql`project_id = ${projectId} and (conversation_id = any(${textArray(conversationIds)}) or user_id = ${userId}::text)`;
  const [counts] = await db.execute<{ examples: number; files: number }>(sql`
    select (select count(distinct (dataset_id, example_id))::int from example_revisions where ${theirs}) as examples,
      (select count(distinct i.file_id)::int from dataset_imports i join files f on f.project_id = i.project_id and f.id = i.file_id
        where i.project_id = ${projectId} and f.state <> 'deleting'
          and i.id in (select import_id from dataset_import_sources where ${theirs})) as files`);
  return counts!;
}
