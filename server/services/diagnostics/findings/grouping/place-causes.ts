import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { findingCauses, findings } from "@/db/schema";
import { insertRows } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { gatheringTitle } from "../../rules";
import type { Severity } from "../../types";
import { type RunOrigin, recordEvents } from "../finding-events";
import { type Joins, joinsOf } from "./join-findings";
import { homesFor } from "./limited-findings";
import { mergeFindings } from "./merge-findings";
import { isWellKnown, placedCauses, type ReadCause, readCause, similarStored } from "./similar-causes";

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

type Fresh = ReportedCause & ReadCause;
type Created = { cause: Fresh; gathers: { subject: string | null } | null };

/**
 * Returns the Finding of each cause, creating and merging Findings as needed. Findings are the connected components of
 * similar causes, so they follow from the set of causes and not from the order in which these are reported. People's
 * decisions come first: causes they placed stay, and Findings they separated or judged differently are not merged. Beyond a
 * number of Findings, unlike causes share one. Merges that exceed what one transaction may move are left to `placeAgain`.
 * Requires `lockFindings` for the causes' Rules.
 */
export async function placeCauses(tx: Ctx, reported: readonly ReportedCause[]): Promise<ReadonlyMap<string, string>> {
  if (reported.length === 0) return new Map();
  const known = await tx.db.execute<{ id: string; finding_id: string }>(sql`
    select id, finding_id from finding_causes
    where project_id = ${tx.projectId} and id = any(${textArray(reported.map(({ id }) => id))})`);
  const findingOf = new Map([...known].map((row) => [row.id, row.finding_id]));
  const fresh = reported
    .filter(({ id }) => !findingOf.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((one) => readCause(tx.projectId, one));
  if (fresh.length === 0) return findingOf;

  const { placed, lastOf } = await placeFresh(tx, fresh);
  for (const [id, findingId] of [...findingOf, ...placed]) findingOf.set(id, lastOf(findingId));
  return findingOf;
}

async function placeFresh(tx: Ctx, fresh: readonly Fresh[]) {
  const stored = await similarStored(tx, fresh);
  const homeFor = await homesFor(tx, fresh);
  const joins = await joinsOf(
    tx,
    [...stored.values()].flat().map(({ findingId }) => findingId),
  );
  const earlier = placedCauses();
  const placed = new Map<string, string>();
  const keysOf = new Map<string, readonly string[] | null>();
  const created = new Map<string, Created>();

  for (const cause of fresh) {
    const known = stored.get(cause.id) ?? [];
    const joined = joins.join([...known, ...earlier.similarTo(cause)]);
    const home = joined.findingId === undefined ? homeFor(cause) : null;
    const findingId = joined.findingId ?? home!.findingId;
    if (home && !joins.has(findingId)) {
      if (home.isNew) created.set(findingId, { cause, gathers: home.gathers });
      joins.add(findingId, { gathersRest: home.gathers !== null });
    }
    placed.set(cause.id, findingId);
    const own = home?.gathers || isWellKnown(known) ? [] : cause.keys;
    keysOf.set(cause.id, joined.postponed ? null : [...own, ...(home?.keys ?? [])]);
    if (own.length > 0) earlier.add(cause, findingId);
  }

  await createFindings(
    tx,
    [...created].filter(([id]) => !joins.merged.has(id)),
  );
  await mergeJoined(tx, joins, new Set(created.keys()), (into) => originOf(fresh, placed, joins, into));
  await insertRows(tx.db, findingCauses, {
    same: { project_id: tx.projectId, pinned: false, occurrence_count: 0 },
    left: ["created_at"],
    rows: fresh.map(({ id, ruleId, signal, cause }) => ({
      id,
      finding_id: joins.lastOf(placed.get(id)!),
      rule_id: ruleId,
      signal,
      cause,
      keys: keysOf.get(id)!,
    })),
  });
  return { placed, lastOf: joins.lastOf };
}

const originOf = (fresh: readonly Fresh[], placed: ReadonlyMap<string, string>, joins: Joins, into: string) =>
  fresh.some(({ id, origin }) => origin !== "backfill" && joins.lastOf(placed.get(id)!) === into)
    ? "automatic"
    : "backfill";

/** Merges the stored Findings that were joined, all that go into one at once. */
export async function mergeJoined(
  tx: Ctx,
  joins: Joins,
  created: ReadonlySet<string>,
  originFor: (into: string) => RunOrigin,
) {
  const fromOf = new Map<string, string[]>();
  for (const from of joins.merged.keys()) {
    if (created.has(from)) continue;
    const into = joins.lastOf(from);
    const list = fromOf.get(into);
    if (list) list.push(from);
    else fromOf.set(into, [from]);
  }
  for (const [into, from] of fromOf) await mergeFindings(tx, { into, from, origin: originFor(into) });
}

async function createFindings(tx: Ctx, created: readonly (readonly [id: string, created: Created])[]) {
  if (created.length === 0) return;
  await tx.db.insert(findings).values(
    created.map(
      ([
        id,
        {
          cause: { ruleId, signal, first },
          gathers,
        },
      ]) => ({
        projectId: tx.projectId,
        id,
        ruleId,
        signal,
        title: gathers ? gatheringTitle(signal, gathers.subject) : first.title,
        summary: gathers
          ? "Gathers causes that are unlike all others, because there are too many for a Finding each."
          : first.summary,
        gathersRest: gathers !== null,
        severity: first.severity,
        detectedSeverity: first.severity,
        // Computed from the occurrences by `refreshFindings` in the same transaction.
        diagnosticScore: 0,
        diagnosticScoreParts: { severity: 0, confidence: 0, spread: 0 },
        reviewStatus: "unreviewed" as const,
        firstDetectedAt: first.detectedAt,
        lastDetectedAt: first.detectedAt,
        updatedAt: NOW,
      }),
    ),
  );
  for (const origin of new Set(created.map(([, { cause }]) => cause.origin))) {
    await recordEvents(
      tx,
      created.filter(([, { cause }]) => cause.origin === origin).map(([findingId]) => ({ findingId, kind: "created" })),
      { origin },
    );
  }
}
