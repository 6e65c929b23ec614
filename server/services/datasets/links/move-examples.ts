import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { queueCollection } from "@/server/services/diagnostics/queue-collection";
import { type Counted, FacetChanges } from "../examples/lists/facet-counts";
import { lockRowsOfDatasets } from "../examples/lock-dataset";

/** A trace and the conversation that it left. */
type Moved = { trace_id: string; from: string };
/** A conversation without traces, the one that its traces moved to, and the latter's end user. */
type Merged = { from: string; into: string; user_id: string | null };

/**
 * Moves what was made from conversations without traces to the conversations that their traces moved to. Must run before the
 * emptied conversations are deleted; the caller has locked both.
 */
export async function moveExamples(db: Db, projectId: string, moved: readonly Moved[]): Promise<void> {
  const tx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name: "projector" } };
  const merged = await lockMerged(tx, moved);
  if (merged.length === 0 || !(await lockDatasetsOf(tx, merged))) return;
  await moveRevisions(tx, merged);
  await moveCandidates(tx, merged);
  await moveImportSources(tx, merged);
}

const pairsOf = (merged: readonly Merged[]) => rowsOf(merged, '"from" text, "into" text, user_id text');
const leftBy = (merged: readonly Merged[]) => textArray(merged.map(({ from }) => from));

/** Locks the emptied conversations: waits for anyone making an Example of them, after which nobody can. */
async function lockMerged({ db, projectId }: Ctx, moved: readonly Moved[]): Promise<Merged[]> {
  if (moved.length === 0) return [];
  const emptied = await db.execute<{ id: string }>(sql`
    select c.id from conversations c
    where c.project_id = ${projectId} and c.id = any(${textArray(moved.map(({ from }) => from))})
      and not exists (select 1 from traces t where t.project_id = c.project_id and t.conversation_id = c.id)
    order by c.id for update`);
  if (emptied.length === 0) return [];
  const gone = new Set([...emptied].map(({ id }) => id));
  // If several traces moved to different conversations, the first one decides.
  const merged = await db.execute<Merged>(sql`
    select distinct on (t."from") t."from", c.id as "into", c.user_id
    from ${rowsOf(
      moved.filter(({ from }) => gone.has(from)),
      'trace_id text, "from" text',
    )}
    join traces r on r.project_id = ${projectId} and r.id = t.trace_id
    join conversations c on c.project_id = r.project_id and c.id = r.conversation_id
    order by t."from", t.trace_id`);
  return [...merged];
}

/** Locks the Datasets in which something was made from these conversations. Returns whether there were any. */
async function lockDatasetsOf(tx: Ctx, merged: readonly Merged[]): Promise<boolean> {
  const theirs = sql`o.project_id = ${tx.projectId} and o.conversation_id = any(${leftBy(merged)})`;
  const found = await tx.db.execute<{ id: string }>(sql`
    select o.dataset_id as id from example_revisions o where ${theirs}
    union select o.dataset_id from example_candidates o where ${theirs}
    union select i.dataset_id from dataset_import_sources o
      join dataset_imports i on i.project_id = o.project_id and i.id = o.import_id where ${theirs}`);
  if (found.length === 0) return false;
  await lockRowsOfDatasets(tx, textArray([...found].map(({ id }) => id)));
  return true;
}

type Revision = Counted & { dataset_id: string; to_version: number | null; was: string };

/** Moves every revision, with one split per Dataset and conversation: the host's, if it has Examples. */
async function moveRevisions(tx: Ctx, merged: readonly Merged[]) {
  const mine = sql`r.project_id = ${tx.projectId}`;
  const revisions = await tx.db.execute<Revision>(sql`
    with merged as materialized (select * from ${pairsOf(merged)}),
    candidate as (
      select r.dataset_id, m."into", r.split, r.ordinal, true as of_host
      from (select distinct "into" from merged) m
      join example_revisions r on ${mine} and r.conversation_id = m."into" and r.to_version is null
      union all
      select r.dataset_id, m."into", r.split, r.ordinal, false
      from merged m join example_revisions r on ${mine} and r.conversation_id = m."from" and r.to_version is null
    ),
    chosen as (
      select distinct on (dataset_id, "into") dataset_id, "into", split from candidate
      order by dataset_id, "into", of_host desc, ordinal
    ),
    old as (
      select r.dataset_id, r.example_id, r.from_version, r.split as was, coalesce(c.split, r.split) as split, m.*
      from merged m join example_revisions r on ${mine} and r.conversation_id = m."from"
      left join chosen c on c.dataset_id = r.dataset_id and c."into" = m."into"
    )
    update example_revisions r set conversation_id = o."into", user_id = coalesce(o.user_id, r.user_id), split = o.split,
      -- The host is rebuilt later, with its messages in another order.
      turn = null,
      terms = array_replace(array_replace(r.terms, 'conversation:' || o."from", 'conversation:' || o."into"),
        'split:' || o.was, 'split:' || o.split)
    from old o
    where ${mine} and r.dataset_id = o.dataset_id and r.example_id = o.example_id and r.from_version = o.from_version
    returning r.dataset_id, r.to_version, o.was, r.split, r.source_kind, r.objective, r.tags, r.tokens`);
  const byDataset = new Map<string, FacetChanges>();
  for (const { dataset_id, to_version, was, ...now } of revisions) {
    if (to_version !== null || was === now.split) continue;
    const facets = byDataset.get(dataset_id) ?? new FacetChanges();
    facets.add({ ...now, split: was }, -1);
    facets.add(now, 1);
    byDataset.set(dataset_id, facets);
  }
  for (const [datasetId, facets] of byDataset) await facets.store(tx, datasetId);
}

/**
 * Deletes waiting candidates, whose turns are no longer right, and queues the host for collection, which proposes better ones.
 * Decided candidates move, so that nothing similar is proposed again.
 */
async function moveCandidates(tx: Ctx, merged: readonly Merged[]) {
  const theirs = sql`project_id = ${tx.projectId} and conversation_id = any(${leftBy(merged)})`;
  const waiting = await tx.db.execute<{ left: string }>(sql`
    delete from example_candidates where ${theirs} and status = 'waiting' returning conversation_id as left`);
  await tx.db.execute(sql`
    update example_candidates o set conversation_id = t."into", user_id = coalesce(t.user_id, o.user_id)
    from ${pairsOf(merged)} where ${theirs} and o.conversation_id = t."from"`);
  const left = new Set([...waiting].map((row) => row.left));
  await queueCollection(
    tx,
    merged.flatMap(({ from, into }) => (left.has(from) ? into : [])),
  );
}

async function moveImportSources({ db, projectId }: Ctx, merged: readonly Merged[]) {
  await db.execute(sql`
    with gone as (
      delete from dataset_import_sources where project_id = ${projectId} and conversation_id = any(${leftBy(merged)})
      returning import_id, conversation_id, user_id
    )
    insert into dataset_import_sources as o (project_id, import_id, conversation_id, user_id)
    select ${projectId}, g.import_id, t."into", coalesce(max(t.user_id), max(g.user_id))
    from ${pairsOf(merged)} join gone g on g.conversation_id = t."from"
    group by g.import_id, t."into" order by g.import_id, t."into"
    on conflict (project_id, import_id, conversation_id) do update set user_id = coalesce(o.user_id, excluded.user_id)`);
}
