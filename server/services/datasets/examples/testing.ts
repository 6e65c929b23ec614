import { eq, sql } from "drizzle-orm";
import { db } from "@/db/pool";
import { datasets } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { smallPayload } from "../chat-payload/testing";
import { createDataset } from "../datasets/create-dataset";
import type { Cause } from "../versions/open-version";
import { lockDataset } from "./lock-dataset";
import type { Change, Draft } from "./types";
import { writeExamples } from "./write-examples";

export const storedDataset = async (ctx: Ctx, name = "Answers") => (await createDataset(ctx, { name })).dataset.id;

/** Returns a draft with this question as its content. */
export const draft = (question: string, more: Partial<Draft> = {}): Draft => ({
  payload: smallPayload(question),
  tags: [],
  source: { kind: "manual", externalRef: null },
  ...more,
});

export const creating = (question: string, more: Partial<Draft> = {}): Change => ({
  kind: "create",
  draft: draft(question, more),
});

/** Writes changes in their own transaction. */
export const write = (ctx: Ctx, datasetId: string, changes: readonly Change[], cause: Cause = { kind: "edit" }) =>
  inTransaction(ctx, async (tx) => writeExamples(tx, await lockDataset(tx, datasetId), changes, cause));

/**
 * Runs `work` while another transaction changes a conversation's key, as ingest does when it learns the conversation's name.
 */
export async function whileChanged<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let change: Promise<unknown> = ended;
  await new Promise<void>((changed, failed) => {
    change = db().transaction(async (tx) => {
      await tx.execute(sql`update conversations set key = key || '~' where id = ${conversationId}`);
      changed();
      await ended;
    });
    change.catch(failed);
  });
  try {
    return await work();
  } finally {
    end();
    await change;
  }
}

/** Throws unless every count of a Dataset equals the count computed from its revisions. */
export async function requireExactCounts(ctx: Ctx, datasetId: string) {
  const [dataset] = await ctx.db.select().from(datasets).where(eq(datasets.id, datasetId));
  const of = sql`project_id = ${ctx.projectId} and dataset_id = ${datasetId}`;
  const [counted] = await ctx.db.execute<{ current: number; newest: number }>(sql`
    select count(*)::int as current, coalesce(max(ordinal), 0)::int as newest
    from example_revisions where ${of} and to_version is null`);
  const problems: unknown[] = [];
  if (dataset!.exampleCount !== counted!.current) problems.push({ exampleCount: dataset!.exampleCount, counted });
  if (dataset!.lastOrdinal < counted!.newest) problems.push({ lastOrdinal: dataset!.lastOrdinal, counted });
  const versions = await ctx.db.execute(sql`
    select v.number, v.added, v.changed, v.removed, v.example_count, c.* from dataset_versions v cross join lateral (
      select count(*) filter (where r.from_version = v.number and not x.before)::int as really_added,
        count(*) filter (where r.from_version = v.number and x.before)::int as really_changed,
        count(*) filter (where r.to_version = v.number and not x.after)::int as really_removed,
        count(*) filter (where r.from_version <= v.number and coalesce(r.to_version > v.number, true))::int as really_in
      from example_revisions r cross join lateral (
        select exists (select 1 from example_revisions o where o.project_id = r.project_id and o.dataset_id = r.dataset_id
            and o.example_id = r.example_id and o.to_version = r.from_version) as before,
          exists (select 1 from example_revisions o where o.project_id = r.project_id and o.dataset_id = r.dataset_id
            and o.example_id = r.example_id and o.from_version = r.to_version) as after
      ) x
      where r.project_id = v.project_id and r.dataset_id = v.dataset_id
    ) c where ${of} and (added, changed, removed, example_count) <> (really_added, really_changed, really_removed, really_in)`);
  problems.push(...versions);
  const facets = await ctx.db.execute(sql`
    with current as (select * from example_revisions where ${of} and to_version is null),
    counted as (
      select 'split' as facet, split as value, count(*)::int as count from current group by split
      union all select 'source', source_kind, count(*)::int from current group by source_kind
      union all select 'objective', objective, count(*)::int from current where objective is not null group by objective
      union all select 'tag', tag, count(*)::int from current, unnest(tags) tag group by tag
    )
    (select 'missing' as what, * from counted except
      select 'missing', facet, value, count from dataset_facets where ${of} and facet <> 'tokens')
    union all
    (select 'wrong', facet, value, count from dataset_facets where ${of} and facet <> 'tokens'
      except select 'wrong', * from counted)`);
  problems.push(...facets);
  if (problems.length > 0) throw new Error(`Counts are wrong: ${JSON.stringify(problems)}`);
}
