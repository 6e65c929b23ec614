import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { findingCauses, findings } from "@/db/schema";
import { insertRows } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type CauseWords, causeKeys, causeSimilarity, causeWords } from "../../rules";
import type { Severity } from "../../types";
import { type RunOrigin, recordEvents } from "../finding-events";
import { mergeFindings } from "./merge-findings";

/** A cause as a Rule reported it. `id` is its fingerprint. */
export type ReportedCause = {
  id: string;
  ruleId: string;
  signal: string;
  cause: string;
  /** Of the Runs that reported it: `backfill` only when no other did. */
  origin: RunOrigin;
  /** For a Finding that it creates; recounted from the occurrences afterwards. */
  first: { severity: Severity; title: string; summary: string; detectedAt: number };
};

/** A Finding as automatic merging sees it. */
type Group = { separated: boolean; review: "unreviewed" | "confirmed" | "dismissed"; createdAt: number };
type Neighbour = { findingId: string; cause: string; similarity: number };

/**
 * Returns the Finding of each cause, creating and merging Findings as needed. Findings are the connected components of
 * similar causes, so they follow from the set of causes and not from the order in which these are reported. People's
 * decisions come first: causes they placed stay, and Findings they separated or judged differently are not merged.
 * Requires `lockFindings` for the causes' Rules.
 */
export async function placeCauses(tx: Ctx, reported: readonly ReportedCause[]): Promise<ReadonlyMap<string, string>> {
  if (reported.length === 0) return new Map();
  await completeKeys(tx);
  const known = await tx.db.execute<{ id: string; finding_id: string }>(sql`
    select id, finding_id from finding_causes
    where project_id = ${tx.projectId} and id = any(${textArray(reported.map(({ id }) => id))})`);
  const findingOf = new Map([...known].map((row) => [row.id, row.finding_id]));
  const fresh = reported.filter(({ id }) => !findingOf.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (fresh.length === 0) return findingOf;

  const merged = new Map<string, string>();
  const placed = await placeFresh(tx, fresh, merged);
  for (const [id, findingId] of [...findingOf, ...placed]) findingOf.set(id, lastOf(merged, findingId));
  return findingOf;
}

/** Follows merges to the Finding that remains. */
function lastOf(merged: ReadonlyMap<string, string>, findingId: string): string {
  let id = findingId;
  for (let into = merged.get(id); into !== undefined; into = merged.get(id)) id = into;
  return id;
}

async function placeFresh(tx: Ctx, fresh: readonly ReportedCause[], merged: Map<string, string>) {
  const read = fresh.map((cause) => {
    const words = causeWords(cause.cause);
    return { ...cause, words, keys: causeKeys([tx.projectId, cause.ruleId, cause.signal], words) };
  });
  const stored = await similarStored(tx, read);
  const groups = await groupsOf(tx, [...new Set([...stored.values()].flat().map(({ findingId }) => findingId))]);
  const placedByKey = new Map<string, { findingId: string; cause: string; words: CauseWords }[]>();
  const placed = new Map<string, string>();
  const created = new Map<string, ReportedCause>();

  for (const cause of read) {
    const neighbours = [...(stored.get(cause.id) ?? []), ...amongPlaced(cause, placedByKey)].map((one) => ({
      ...one,
      findingId: lastOf(merged, one.findingId),
    }));
    const findingId = join(neighbours, groups, merged) ?? newId("fnd");
    if (!groups.has(findingId)) {
      created.set(findingId, cause);
      groups.set(findingId, { separated: false, review: "unreviewed", createdAt: Number.MAX_SAFE_INTEGER });
    }
    placed.set(cause.id, findingId);
    const entry = { findingId, cause: cause.cause, words: cause.words };
    for (const key of cause.keys) {
      const list = placedByKey.get(key);
      if (list) list.push(entry);
      else placedByKey.set(key, [entry]);
    }
  }

  await createFindings(
    tx,
    [...created].filter(([id]) => !merged.has(id)),
  );
  for (const [from, into] of merged) {
    if (created.has(from)) continue;
    await mergeFindings(tx, { into: lastOf(merged, into), from: [from], origin: originOf(fresh, placed, into) });
  }
  await insertRows(tx.db, findingCauses, {
    same: { project_id: tx.projectId, pinned: false, occurrence_count: 0 },
    left: ["created_at"],
    rows: read.map(({ id, ruleId, signal, cause, keys }) => ({
      id,
      finding_id: lastOf(merged, placed.get(id)!),
      rule_id: ruleId,
      signal,
      cause,
      keys,
    })),
  });
  return placed;
}

const originOf = (fresh: readonly ReportedCause[], placed: ReadonlyMap<string, string>, findingId: string) =>
  fresh.some(({ id, origin }) => origin !== "backfill" && placed.get(id) === findingId) ? "automatic" : "backfill";

/** Joins the Findings of similar causes and returns the one that remains; `undefined` if there are none. */
function join(
  neighbours: readonly Neighbour[],
  groups: ReadonlyMap<string, Group>,
  merged: Map<string, string>,
): string | undefined {
  const closestFirst = [...neighbours].sort((a, b) => b.similarity - a.similarity || (a.cause < b.cause ? -1 : 1));
  let base = closestFirst[0]?.findingId;
  for (const { findingId } of closestFirst) {
    const other = lastOf(merged, findingId);
    if (base === undefined || other === base) continue;
    const [mine, theirs] = [groups.get(base)!, groups.get(other)!];
    if (!mayMerge(mine, theirs)) continue;
    const [into, from] = outranks(theirs, mine, other, base) ? [other, base] : [base, other];
    merged.set(from, into);
    groups.get(into)!.separated ||= groups.get(from)!.separated;
    base = into;
  }
  return base;
}

const mayMerge = (a: Group, b: Group) =>
  !(a.separated && b.separated) && (a.review === "unreviewed" || b.review === "unreviewed" || a.review === b.review);

const RANK = { confirmed: 0, dismissed: 1, unreviewed: 2 };
/** The reviewed Finding remains, else the older one. */
const outranks = (a: Group, b: Group, idOfA: string, idOfB: string) =>
  (RANK[a.review] - RANK[b.review] || a.createdAt - b.createdAt || (idOfA < idOfB ? -1 : 1)) < 0;

type Read = ReportedCause & { words: CauseWords; keys: readonly string[] };

/** Returns, for each cause, the stored ones that are similar. The keys' index finds them all. */
async function similarStored(tx: Ctx, causes: readonly Read[]): Promise<Map<string, Neighbour[]>> {
  const words = new Map(causes.map((cause) => [cause.id, cause.words]));
  const candidates = await tx.db.execute<{ id: string; finding_id: string; cause: string }>(sql`
    select t.id, c.finding_id, c.cause
    from ${rowsOf(
      causes.filter(({ keys }) => keys.length > 0).map(({ id, keys }) => ({ id, keys })),
      "id text, keys text[]",
    )}
    join finding_causes c on c.project_id = ${tx.projectId} and c.keys && t.keys and c.cause is not null
    where c.id <> t.id`);
  const similar = new Map<string, Neighbour[]>();
  for (const row of candidates) {
    const similarity = causeSimilarity(words.get(row.id)!, causeWords(row.cause));
    if (similarity === 0) continue;
    const neighbour = { findingId: row.finding_id, cause: row.cause, similarity };
    const list = similar.get(row.id);
    if (list) list.push(neighbour);
    else similar.set(row.id, [neighbour]);
  }
  return similar;
}

function amongPlaced(
  cause: Read,
  placedByKey: ReadonlyMap<string, readonly { findingId: string; cause: string; words: CauseWords }[]>,
): Neighbour[] {
  const candidates = new Set(cause.keys.flatMap((key) => placedByKey.get(key) ?? []));
  return [...candidates].flatMap(({ findingId, cause: text, words }) => {
    const similarity = causeSimilarity(cause.words, words);
    return similarity === 0 ? [] : [{ findingId, cause: text, similarity }];
  });
}

async function groupsOf(tx: Ctx, ids: readonly string[]): Promise<Map<string, Group>> {
  const rows = await tx.db.execute<{
    id: string;
    separated: boolean;
    review_status: Group["review"];
    created_at: string;
  }>(
    sql`select id, separated, review_status, created_at from findings where project_id = ${tx.projectId} and id = any(${textArray(ids)})`,
  );
  return new Map(
    [...rows].map((row) => [
      row.id,
      { separated: row.separated, review: row.review_status, createdAt: Number(row.created_at) },
    ]),
  );
}

async function createFindings(tx: Ctx, created: readonly (readonly [id: string, cause: ReportedCause])[]) {
  if (created.length === 0) return;
  await tx.db.insert(findings).values(
    created.map(([id, { ruleId, signal, first }]) => ({
      projectId: tx.projectId,
      id,
      ruleId,
      signal,
      title: first.title,
      summary: first.summary,
      severity: first.severity,
      detectedSeverity: first.severity,
      // Computed from the occurrences by `refreshFindings` in the same transaction.
      diagnosticScore: 0,
      diagnosticScoreParts: { severity: 0, confidence: 0, spread: 0 },
      reviewStatus: "unreviewed" as const,
      firstDetectedAt: first.detectedAt,
      lastDetectedAt: first.detectedAt,
      updatedAt: NOW,
    })),
  );
  for (const origin of new Set(created.map(([, cause]) => cause.origin))) {
    await recordEvents(
      tx,
      created.filter(([, cause]) => cause.origin === origin).map(([findingId]) => ({ findingId, kind: "created" })),
      { origin },
    );
  }
}

/** Computes the missing keys of causes stored before an upgrade, so that similar new causes find them. */
async function completeKeys(tx: Ctx) {
  const rows = await tx.db.execute<{ id: string; rule_id: string; signal: string; cause: string | null }>(sql`
    select id, rule_id, signal, cause from finding_causes where project_id = ${tx.projectId} and keys is null`);
  if (rows.length === 0) return;
  const completed = [...rows].map((row) => ({
    id: row.id,
    keys: row.cause === null ? [] : causeKeys([tx.projectId, row.rule_id, row.signal], causeWords(row.cause)),
  }));
  await tx.db.execute(sql`
    update finding_causes c set keys = t.keys from ${rowsOf(completed, "id text, keys text[]")}
    where c.project_id = ${tx.projectId} and c.id = t.id`);
}
