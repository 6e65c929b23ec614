import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { markContentForErasure } from "@/server/services/files";
import { queueManifestRemovals } from "@/server/services/trainers";

type Manifest = { sha256: string; file_id: string | null };
type Job = { id: string; unfinished: boolean };

/**
 * Forgets, in the caller's transaction, what was trained on Examples that meet the condition and are about to be deleted:
 * manifests that contain them lose their files, here and on trainers, the jobs lose their sample answers, and the checkpoints' certificates lose
 * their prompts and answers. Unfinished jobs are cancelled without saving, and jobs and checkpoints record the time. A model
 * cannot unlearn: what it learned stays in the trainer's files, marked as tainted. The caller also has to erase the marked
 * files after the commit.
 */
export async function forgetTraining(tx: Ctx, condition: SQL): Promise<Record<string, number>> {
  await lockDatasets(tx, condition);
  const manifests = await eraseManifests(tx, condition);
  if (manifests.length === 0) return {};
  const files = manifests.flatMap(({ file_id }) => (file_id === null ? [] : [file_id]));
  await markContentForErasure(tx, files);
  await queueManifestRemovals(
    tx,
    manifests.map(({ sha256 }) => sha256),
  );
  const jobs = await taintJobs(
    tx,
    manifests.map(({ sha256 }) => sha256),
  );
  const events = await deleteSamples(
    tx,
    jobs.map(({ id }) => id),
  );
  for (const { id, unfinished } of jobs) if (unfinished) await cancelWithoutSaving(tx, id);
  return { files: files.length, training_events: events };
}

/**
 * A freeze holds the same lock while it stores a manifest: either the manifest is found here, or the freeze finds the Examples
 * gone.
 */
async function lockDatasets({ db, projectId }: Ctx, condition: SQL) {
  await db.execute(sql`
    select id from datasets where project_id = ${projectId} and id in (
      select dataset_id from example_revisions where project_id = ${projectId} and ${condition})
    order by id for update`);
}

/**
 * Counts the rows that each manifest loses, and detaches its file. A row counts once, however often its Example was forgotten.
 */
async function eraseManifests({ db, projectId }: Ctx, condition: SQL): Promise<Manifest[]> {
  const rows = await db.execute<Manifest>(sql`
    with theirs as materialized (
      select distinct dataset_id, example_id from example_revisions where project_id = ${projectId} and ${condition}
    ),
    held as (
      select m.sha256, m.file_id, count(*)::int as rows
      from theirs
      join example_revisions e on e.project_id = ${projectId} and e.dataset_id = theirs.dataset_id and e.example_id = theirs.example_id
      join training_manifests m on m.project_id = ${projectId} and m.dataset_id = e.dataset_id and m.split = e.split
        and e.from_version <= m.dataset_version and coalesce(e.to_version > m.dataset_version, true)
      group by m.sha256, m.file_id
    )
    update training_manifests m
    set rows_erased = least(m.rows, m.rows_erased + h.rows), erased_at = coalesce(m.erased_at, ${NOW}), file_id = null
    from held h where m.project_id = ${projectId} and m.sha256 = h.sha256
    returning m.sha256, h.file_id`);
  return [...rows];
}

/**
 * Marks the jobs of these manifests and their checkpoints as tainted, along with all jobs and checkpoints that continued from
 * them.
 */
async function taintJobs({ db, projectId }: Ctx, hashes: readonly string[]): Promise<Job[]> {
  const jobs = await db.execute<Job>(sql`
    with recursive taught as (
      select id from training_jobs where project_id = ${projectId}
        and (manifest_sha256 = any(${textArray(hashes)}) or validation_manifest_sha256 = any(${textArray(hashes)}))
      union
      select j.id from taught
      join checkpoints c on c.project_id = ${projectId} and c.job_id = taught.id
      join training_jobs j on j.project_id = ${projectId} and j.parent_checkpoint_id = c.id
    )
    update training_jobs j set tainted_at = coalesce(j.tainted_at, ${NOW}), updated_at = ${NOW}
    from taught where j.project_id = ${projectId} and j.id = taught.id
    returning j.id, j.finished_at is null as unfinished`);
  const ids = jobs.map(({ id }) => id);
  await db.execute(sql`
    update checkpoints set tainted_at = coalesce(tainted_at, ${NOW})
    where project_id = ${projectId} and job_id = any(${textArray(ids)})`);
  // A comparison that is ending now waits for the checkpoint's lock, and then stores no text.
  await db.execute(sql`
    update parity_certificates set answers = null, updated_at = ${NOW}
    where project_id = ${projectId} and answers is not null and checkpoint_id in (
      select id from checkpoints where project_id = ${projectId} and job_id = any(${textArray(ids)}))`);
  return [...jobs];
}

/** Deletes what may quote an Example: sample answers with their prompts, and reports about individual rows. */
async function deleteSamples({ db, projectId }: Ctx, jobIds: readonly string[]): Promise<number> {
  const gone = await db.execute(sql`
    delete from training_events
    where project_id = ${projectId} and job_id = any(${textArray(jobIds)}) and type in ('sample', 'dataset.report')
    returning 1`);
  return gone.length;
}

/** Ends a job that no trainer knows about; for any other, the poll of unfinished jobs tells the trainer to discard it. */
async function cancelWithoutSaving({ db, projectId }: Ctx, jobId: string) {
  const requested = JSON.stringify({ id: randomUUID(), action: "cancel", mode: "discard" });
  const isUnsent = sql`(dispatched_at is null and phase is null)`;
  await db.execute(sql`
    update training_jobs set
      status = case when ${isUnsent} then 'cancelled' else 'cancelling' end,
      stop_reason = case when ${isUnsent} then 'user' end,
      finished_at = case when ${isUnsent} then ${NOW} end,
      requested = case when ${isUnsent} then null else ${requested}::jsonb end,
      due_at = case when ${isUnsent} then null else ${NOW} end,
      updated_at = ${NOW}
    where project_id = ${projectId} and id = ${jobId} and finished_at is null`);
}
