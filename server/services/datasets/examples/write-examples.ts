import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { exampleRevisions } from "@/db/schema";
import { storedPayload } from "@/db/schema/columns";
import { insertRows } from "@/db/sets";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import type { ChatPayload } from "../chat-payload/schemas";
import { likenessKeys, tracesOf } from "../likeness/keys";
import { type Cause, recordChanges, type VersionCounts, versionFor } from "../versions/open-version";
import { exampleTerms } from "./lists/example-terms";
import { FacetChanges } from "./lists/facet-counts";
import { Sides } from "./lists/sides";
import type { LockedDataset } from "./lock-dataset";
import { missingConversations } from "./missing-conversations";
import { type Planned, PlannedChanges } from "./planned-changes";
import { hashed, readStored, splitsOf, withSiblings } from "./revisions";
import type { Change, Outcome } from "./types";

export const CHANGES_MAX = 5_000;

/**
 * Writes changes to a locked Dataset, in the caller's transaction and with only a handful of statements, together with its
 * version and every count. It is the only way to write Examples. Returns one outcome per change, in order. Payloads must be
 * valid. Throws `conflict` while an import or collection with another cause is writing.
 */
export async function writeExamples(
  tx: Ctx,
  dataset: LockedDataset,
  changes: readonly Change[],
  cause: Cause,
): Promise<Outcome[]> {
  if (changes.length > CHANGES_MAX) throw new Error(`${changes.length} changes are more than ${CHANGES_MAX}.`);
  const version = await versionFor(tx, dataset, cause);
  const all = changes.map(hashed);
  const missing = await missingConversations(tx, changes, cause.kind);
  const stored = await withSiblings(tx, dataset.id, await readStored(tx, dataset.id, all), changes);
  const plan = new PlannedChanges(stored, {
    lastOrdinal: dataset.lastOrdinal,
    now: dataset.now,
    splits: await splitsOf(tx, dataset.id, changes),
    sides: await Sides.read(tx, dataset.id, dataset.exampleCount, changes),
    isMissing: (id) => missing.has(id),
  });
  const outcomes = all.map((change) => plan.apply(change));
  const touched = plan.touched();
  if (touched.length === 0) return outcomes;
  const counts = await countsOf(tx, dataset.id, touched, version.number);
  dataset.exampleCount += touched.reduce((sum, { stored, gone }) => sum + (gone ? 0 : 1) - (stored ? 1 : 0), 0);
  dataset.lastOrdinal = plan.lastOrdinal;
  await recordChanges(tx, dataset, version, { cause, counts });
  await store(tx, dataset, touched, version.number);
  return outcomes;
}

/** Returns what the changes add to the counts of their version, which compare it with the previous one. */
async function countsOf(
  tx: Ctx,
  datasetId: string,
  touched: readonly Planned[],
  version: number,
): Promise<VersionCounts> {
  const rewritten = touched.flatMap(({ stored }) => (stored?.from_version === version ? [stored.example_id] : []));
  const earlier = new Set<string>();
  if (rewritten.length > 0) {
    const rows = await tx.db.execute<{ example_id: string }>(sql`
      select example_id from example_revisions where project_id = ${tx.projectId} and dataset_id = ${datasetId}
        and example_id = any(${textArray(rewritten)}) and to_version = ${version}`);
    for (const { example_id } of rows) earlier.add(example_id);
  }
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { stored, now, gone } of touched) {
    const isRewritten = stored?.from_version === version;
    const isOlder = stored !== undefined && (!isRewritten || earlier.has(now.example_id));
    if (isRewritten) counts[isOlder ? "changed" : "added"] -= 1;
    if (!gone) counts[isOlder ? "changed" : "added"] += 1;
    else if (isOlder) counts.removed += 1;
  }
  return counts;
}

async function store(tx: Ctx, { id, now }: LockedDataset, touched: readonly Planned[], version: number) {
  const current = sql`project_id = ${tx.projectId} and dataset_id = ${id} and to_version is null`;
  const ofVersion = (isOf: boolean) =>
    touched.flatMap(({ stored }) => (stored && (stored.from_version === version) === isOf ? [stored.example_id] : []));
  const [closed, replaced] = [ofVersion(false), ofVersion(true)];
  if (closed.length > 0) {
    await tx.db.execute(sql`
      update example_revisions set to_version = ${version} where ${current} and example_id = any(${textArray(closed)})`);
  }
  if (replaced.length > 0) {
    await tx.db.execute(sql`
      delete from example_revisions where ${current} and example_id = any(${textArray(replaced)}) and from_version = ${version}`);
  }
  const actorId = auditActor(tx.actor).id;
  await insertRows(tx.db, exampleRevisions, {
    same: {
      project_id: tx.projectId,
      dataset_id: id,
      from_version: version,
      updated_at: now,
      actor_kind: tx.actor.kind,
      actor_id: actorId ?? sql`null::text`,
    },
    left: ["to_version"],
    rows: touched
      .filter(({ gone }) => !gone)
      .map(({ now: content }) => ({
        ...content,
        payload: storedPayload(content.payload),
        terms: termsOf(content),
        likeness: likenessKeys(tracesOf(id, content.payload as ChatPayload)),
      })),
  });
  const facets = new FacetChanges();
  for (const { stored, now: content, gone } of touched) {
    if (stored) facets.add(stored, -1);
    if (!gone) facets.add(content, 1);
  }
  await facets.store(tx, id);
}

const termsOf = ({ payload, split, source_kind, objective, conversation_id, finding_id, tags }: Planned["now"]) =>
  exampleTerms(payload as ChatPayload, {
    split,
    source: source_kind,
    objective,
    conversationId: conversation_id,
    findingId: finding_id,
    tags,
  });
