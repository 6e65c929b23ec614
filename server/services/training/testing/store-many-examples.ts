import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";

/**
 * Gives an empty Dataset one version with this many Examples of half a kilobyte, through SQL: writing them one by one would
 * take minutes.
 */
export async function storeManyExamples(ctx: Ctx, datasetId: string, count: number): Promise<void> {
  await ctx.db.execute(sql`
    insert into dataset_versions (project_id, dataset_id, number, kind, example_count, actor_kind)
    values (${ctx.projectId}, ${datasetId}, 1, 'edit', ${count}, 'job')`);
  await ctx.db.execute(sql`
    insert into example_revisions (project_id, dataset_id, example_id, from_version, ordinal, payload, tags, split, source_kind,
      content_hash, tokens, terms, actor_kind, created_at)
    select ${ctx.projectId}, ${datasetId}, 'ex_' || lpad(n::text, 8, '0'), 1, n,
      jsonb_build_object(
        'input', jsonb_build_object('type', 'chat', 'messages', jsonb_build_array(
          jsonb_build_object('role', 'user', 'content', 'Question ' || n || ' ' || repeat('words ', 30)))),
        'expectedOutput', jsonb_build_object('type', 'chat_message', 'message',
          jsonb_build_object('role', 'assistant', 'content', 'Answer ' || n || ' ' || repeat('more ', 30)))),
      '{}', 'train', 'manual', md5(n::text), 200, '{split:train}', 'job', 0
    from generate_series(1, ${count}) n`);
  await ctx.db.execute(sql`
    update datasets set version = 1, example_count = ${count}, last_ordinal = ${count}
    where project_id = ${ctx.projectId} and id = ${datasetId}`);
  // As autovacuum would do eventually: without statistics, every page would be read by a full scan.
  await ctx.db.execute(sql`analyze example_revisions`);
}
