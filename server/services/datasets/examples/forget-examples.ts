import { type SQL, sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { type Counted, FacetChanges } from "./lists/facet-counts";
import { lockRowsOfDatasets } from "./lock-dataset";

/** Condition: Examples of these conversations. */
export const ofConversations = (ids: readonly string[]): SQL => sql`conversation_id = any(${textArray(ids)})`;
/** Condition: Examples of this end user, even if the conversation has expired. */
export const ofUser = (userId: string): SQL => sql`user_id = ${userId}`;

type Gone = Counted & { dataset_id: string; from_version: number; to_version: number | null; example_id: string };

/**
 * Deletes every revision, in every version, of the Examples that have a revision that meets the condition, and corrects all
 * counts, in the caller's transaction. Their conversations must already be deleted or locked, so that no new Examples are made
 * from them.
 */
export async function forgetExamples(tx: Ctx, condition: SQL): Promise<Record<string, number>> {
  const theirs = sql`project_id = ${tx.projectId} and ${condition}`;
  await lockRowsOfDatasets(tx, sql`select dataset_id from example_revisions where ${theirs}`);
  const gone = await tx.db.execute<Gone>(sql`
    delete from example_revisions where project_id = ${tx.projectId} and (dataset_id, example_id) in (
      select dataset_id, example_id from example_revisions where ${theirs})
    returning dataset_id, example_id, from_version, to_version, split, source_kind, objective, tags, tokens`);
  const ids = [...new Set(gone.map(({ example_id }) => example_id))];
  if (ids.length > 0) {
    await tx.db.execute(sql`
      insert into deleted_examples (project_id, example_id)
      select ${tx.projectId}, unnest(${textArray(ids)}) on conflict do nothing`);
  }
  const byDataset = new Map<string, Gone[]>();
  for (const row of gone) byDataset.set(row.dataset_id, [...(byDataset.get(row.dataset_id) ?? []), row]);
  for (const [datasetId, rows] of byDataset) await correctCounts(tx, datasetId, rows);
  return { example_revisions: gone.length };
}

async function correctCounts(tx: Ctx, datasetId: string, gone: readonly Gone[]) {
  const facets = new FacetChanges();
  const current = gone.filter(({ to_version }) => to_version === null);
  for (const row of current) facets.add(row, -1);
  await facets.store(tx, datasetId);
  await tx.db.execute(sql`
    update datasets set example_count = example_count - ${current.length}
    where project_id = ${tx.projectId} and id = ${datasetId}`);
  const ranges = gone.map(({ example_id, from_version, to_version }) => ({ example_id, from_version, to_version }));
  // A version's numbers of added, changed and removed Examples compare it with the previous version.
  await tx.db.execute(sql`
    with gone as materialized (select * from ${rowsOf(ranges, "example_id text, from_version int, to_version int")}),
    seen as (
      select g.*, exists (select 1 from gone o where o.example_id = g.example_id and o.to_version = g.from_version) as before,
        exists (select 1 from gone o where o.example_id = g.example_id and o.from_version = g.to_version) as after
      from gone g
    ),
    lost as (
      select v.number, count(*) filter (where from_version = v.number and not before) as added,
        count(*) filter (where from_version = v.number and before) as changed,
        count(*) filter (where to_version = v.number and not after) as removed,
        count(*) filter (where from_version <= v.number and coalesce(to_version > v.number, true)) as contained
      from dataset_versions v join seen on from_version <= v.number and coalesce(to_version >= v.number, true)
      where v.project_id = ${tx.projectId} and v.dataset_id = ${datasetId} group by v.number
    )
    update dataset_versions v set added = v.added - l.added, changed = v.changed - l.changed,
      removed = v.removed - l.removed, example_count = v.example_count - l.contained
    from lost l where v.project_id = ${tx.projectId} and v.dataset_id = ${datasetId} and v.number = l.number`);
}
