import { sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import { auditActor, auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { recountFacets } from "../examples/lists/facet-counts";
import { type LockedDataset, lockDataset } from "../examples/lock-dataset";
import { SAID, saidWithTools } from "../examples/revisions";
import { readVersion } from "./list-versions";
import { recordChanges, type VersionCounts, versionFor } from "./open-version";
import { restoreVersionInput, versionReply } from "./schemas";

export const restoreVersion = verb(
  {
    name: "datasetVersions.restore",
    summary: "Restore a version of a Dataset.",
    description:
      "Writes a new version that equals the given one; none is lost, so a restore can be undone by another. Examples deleted with their conversation or user are in no version and do not come back. A 409 while an import is being stored.",
    effect: "write",
    capability: "models:manage",
    input: restoreVersionInput,
    reply: versionReply,
  },
  async (ctx, { datasetId, version }) => {
    const dataset = await lockDataset(ctx, datasetId);
    await readVersion(ctx, datasetId, version);
    const cause = { kind: "restore" as const, causeId: String(version) };
    const next = await versionFor(ctx, dataset, cause);
    const counts = await restore(ctx, dataset, { version, next: next.number });
    dataset.exampleCount += counts.added - counts.removed;
    await recordChanges(ctx, dataset, next, { cause, counts, closed: true });
    await recountFacets(ctx, datasetId);
    auditNote(ctx, { target: { type: "dataset", id: datasetId }, after: { restored: version, version: next.number } });
    return { version: await readVersion(ctx, datasetId, next.number) };
  },
);

/** The columns that a restored revision copies from the original one. */
const COPIED = sql.raw(["example_id", "ordinal", "payload", "tokens", "terms", "created_at", ...SAID].join(", "));

/** Closes the revisions that the version does not contain and rewrites those that it did; what both have is left unchanged. */
async function restore(
  tx: Ctx,
  { id, now }: LockedDataset,
  { version, next }: { version: number; next: number },
): Promise<VersionCounts> {
  // The planner has no statistics on rows that this transaction or a recent import wrote.
  await tx.db.execute(sql`set local enable_nestloop = off`);
  const mine = sql`project_id = ${tx.projectId} and dataset_id = ${id}`;
  const rows = await tx.db.execute<{ id: string; past: number | null; present: number | null }>(sql`
    with past as (select * from example_revisions where ${mine} and from_version <= ${version} and to_version > ${version}),
    present as (select * from example_revisions where ${mine} and to_version is null and from_version > ${version})
    select coalesce(p.example_id, c.example_id) as id, p.from_version as past, c.from_version as present
    from past p full join present c on c.example_id = p.example_id
    where ${saidWithTools("p")} is distinct from ${saidWithTools("c")}`);
  const closed = rows.filter(({ present }) => present !== null);
  const written = rows.filter(({ past }) => past !== null);
  const columns = "id text, past int, present int";
  await tx.db.execute(sql`
    update example_revisions r set to_version = ${next} from ${rowsOf(closed, columns)}
    where r.project_id = ${tx.projectId} and r.dataset_id = ${id} and r.to_version is null and r.example_id = t.id`);
  await tx.db.execute(sql`
    insert into example_revisions (project_id, dataset_id, from_version, updated_at, actor_kind, actor_id, ${COPIED})
    select ${tx.projectId}, ${id}, ${next}, ${now}::bigint, ${tx.actor.kind}, ${auditActor(tx.actor).id}::text, ${COPIED}
    from example_revisions where ${mine} and (example_id, from_version) in (
      select t.id, t.past from ${rowsOf(written, columns)})`);
  await tx.db.execute(sql`set local enable_nestloop = on`);
  const removed = rows.length - written.length;
  const added = rows.length - closed.length;
  return { added, removed, changed: rows.length - added - removed };
}
