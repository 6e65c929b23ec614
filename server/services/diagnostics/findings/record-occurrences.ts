import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { occurrences } from "@/db/schema";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { fingerprint } from "../rules";
import { markSuperseded, protectedOccurrences, type Reading } from "../runs/superseded-readings";
import { type OccurrenceChanges, occurrenceChanges } from "./counts/occurrence-changes";
import { refreshFindings } from "./counts/refresh-findings";
import { type RunOrigin, recordEvents } from "./finding-events";
import { type CausePart, composeOccurrence } from "./grouping/occurrence-parts";
import { placeCauses, type ReportedCause } from "./grouping/place-causes";

/**
 * Records what Rules found as Occurrences of Findings, at most one per conversation and Finding. A repeated reading
 * replaces what the Rule found in the same part of the conversation, but leaves alone what was read from later activity or
 * from more traces. A reading that another one supersedes (as much or more of the conversation, same or newer settings) is
 * not recorded. Must run in a transaction that holds `lockFindings` for these Rules, so that two workers never create two
 * Findings for one cause, and in which the Runs are already completed.
 */
export async function recordOccurrences(tx: Ctx, all: readonly Reading[]) {
  const superseded = await markSuperseded(tx, all);
  const readings = all.filter(({ run }) => !superseded.has(run.id));
  if (readings.length === 0) return;
  const origins = await originsOf(tx, readings);
  const origin = [...origins.values()].some((one) => one !== "backfill") ? "automatic" : "backfill";

  const findingOf = await placeCauses(tx, causesOf(readings, origins));
  const protectedPairs = await protectedOccurrences(tx, readings);
  const before = await occurrencesBefore(tx, readings);
  const rows = occurrenceRows(readings, findingOf, before, protectedPairs);

  const changes = await replaceOccurrences(tx, readings, { protectedPairs, before, rows });
  await regress(tx, rows, origin);
  await refreshFindings(tx, { changes, conversationIds: readings.map(({ conversation }) => conversation.id), origin });
}

/** Takes exclusive advisory locks on recording Findings of these Rules in this project until the transaction ends. */
export async function lockFindings(tx: Ctx, ruleIds: readonly string[]) {
  const locks = [...new Set(ruleIds)].sort().map((ruleId) => `findings ${tx.projectId} ${ruleId}`);
  if (locks.length === 0) return;
  // In the same order everywhere, so that two workers never wait for each other.
  await tx.db.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(name, 0))
    from unnest(${textArray(locks)}) with ordinality t(name, place) order by place`);
}

async function originsOf(tx: Ctx, readings: readonly Reading[]): Promise<ReadonlyMap<string, RunOrigin>> {
  const rows = await tx.db.execute<{ id: string; origin: RunOrigin }>(sql`
    select id, origin from rule_runs
    where project_id = ${tx.projectId} and id = any(${textArray(readings.map(({ run }) => run.id))})`);
  return new Map([...rows].map((row) => [row.id, row.origin]));
}

/** Returns the distinct causes that the readings report. */
function causesOf(readings: readonly Reading[], origins: ReadonlyMap<string, RunOrigin>): ReportedCause[] {
  const causes = new Map<string, ReportedCause>();
  for (const { run, conversation, occurrences } of readings) {
    const origin = origins.get(run.id) ?? "automatic";
    for (const { signal, cause, severity, title, summary } of occurrences) {
      const id = fingerprint(run.ruleId, signal, cause);
      const known = causes.get(id);
      if (known) {
        if (known.origin === "backfill") known.origin = origin;
        continue;
      }
      const first = { severity, title, summary, detectedAt: conversation.lastActivityAt };
      causes.set(id, { id, ruleId: run.ruleId, signal, cause, origin, first });
    }
  }
  return [...causes.values()];
}

const pairOf = (row: { finding_id: string; conversation_id: string }) => `${row.finding_id} ${row.conversation_id}`;

type Before = {
  finding_id: string;
  conversation_id: string;
  detected_at: string;
  cause_ids: string[];
  placed: boolean;
};

/** Returns what is recorded in these conversations so far, by Finding and conversation. */
async function occurrencesBefore(tx: Ctx, readings: readonly Reading[]): Promise<ReadonlyMap<string, Before>> {
  const rows = await tx.db.execute<Before>(sql`
    select finding_id, conversation_id, detected_at, cause_ids, placed from occurrences
    where project_id = ${tx.projectId}
      and conversation_id = any(${textArray([...new Set(readings.map(({ conversation }) => conversation.id))])})`);
  return new Map([...rows].map((row) => [pairOf(row), row]));
}

/** Composes one row for each Finding and conversation from what the readings report. */
function occurrenceRows(
  readings: readonly Reading[],
  findingOf: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, Before>,
  protectedPairs: ReadonlySet<string>,
) {
  // Where a person moved individual conversations, their causes follow.
  const placed = new Map(
    [...before.values()]
      .filter((row) => row.placed)
      .flatMap((row) => row.cause_ids.map((id) => [`${id} ${row.conversation_id}`, row.finding_id] as const)),
  );
  const found = new Map<string, { findingId: string; reading: Reading; causes: Map<string, CausePart> }>();
  for (const reading of readings) {
    for (const { signal, cause, verdict: _, ...said } of reading.occurrences) {
      const causeId = fingerprint(reading.run.ruleId, signal, cause);
      const findingId = placed.get(`${causeId} ${reading.conversation.id}`) ?? findingOf.get(causeId)!;
      const key = `${findingId} ${reading.conversation.id}`;
      if (protectedPairs.has(key)) continue;
      const known = found.get(key);
      // A concurrent Run over the same part of the conversation found the same.
      if (known && known.reading.run.id !== reading.run.id) continue;
      const causes = known?.causes ?? new Map<string, CausePart>();
      causes.set(causeId, { causeId, ...said });
      if (!known) found.set(key, { findingId, reading, causes });
    }
  }
  return [...found].map(([key, { findingId, reading, causes }]) => ({
    id: newId("occ"),
    finding_id: findingId,
    conversation_id: reading.conversation.id,
    rule_run_id: reading.run.id,
    detected_at: reading.conversation.lastActivityAt,
    placed: before.get(key)?.placed ?? false,
    ...composeOccurrence([...causes.values()]),
  }));
}

type Replacement = {
  protectedPairs: ReadonlySet<string>;
  before: ReadonlyMap<string, Before>;
  rows: ReturnType<typeof occurrenceRows>;
};

/** Upserts the rows, deletes Occurrences that the same Rules do not find again, and returns the changes per Finding. */
async function replaceOccurrences(
  tx: Ctx,
  readings: readonly Reading[],
  { protectedPairs, before, rows }: Replacement,
): Promise<OccurrenceChanges> {
  const { changes, added, removed } = occurrenceChanges();
  const read = readings.map(({ run, conversation }) => ({ rule_id: run.ruleId, conversation_id: conversation.id }));
  const stay = [...protectedPairs, ...rows.map(pairOf)];
  // Occurrences of a Finding that a person confirmed or dismissed have been judged and are not deleted.
  const gone = await tx.db.execute<{ finding_id: string; detected_at: string; cause_ids: string[] }>(sql`
    delete from occurrences o
    using findings f, ${rowsOf(read, "rule_id text, conversation_id text")}
    where o.project_id = ${tx.projectId} and o.conversation_id = t.conversation_id
      and f.project_id = o.project_id and f.id = o.finding_id and f.rule_id = t.rule_id and f.review_status = 'unreviewed'
      and o.finding_id || ' ' || o.conversation_id <> all(${textArray(stay)})
    returning o.finding_id, o.detected_at, o.cause_ids`);
  for (const row of gone) removed(row);

  if (rows.length === 0) return changes;
  await tx.db.execute(
    insertOf(occurrences, {
      same: { project_id: tx.projectId, updated_at: NOW },
      rows,
      left: ["created_at"],
      onConflict: { on: ["project_id", "finding_id", "conversation_id"], keep: ["id"] },
    }),
  );
  for (const row of rows) {
    const known = before.get(pairOf(row));
    if (known) removed(known);
    added(row);
  }
  return changes;
}

/** A resolved Finding regresses only on conversations that started after it was resolved. */
async function regress(tx: Ctx, rows: Replacement["rows"], origin: RunOrigin) {
  if (rows.length === 0) return;
  const seen = rows.map(({ finding_id, conversation_id }) => ({ finding_id, conversation_id }));
  const regressed = await tx.db.execute<{ id: string; resolved_at: string }>(sql`
    update findings f set resolution_status = 'unresolved', resolved_at = null, regressed_at = ${NOW}, updated_at = ${NOW}
    from findings old
    where f.project_id = ${tx.projectId} and f.resolution_status = 'resolved'
      and old.project_id = f.project_id and old.id = f.id and f.id in (
        select t.finding_id from ${rowsOf(seen, "finding_id text, conversation_id text")}
        join conversations c on c.project_id = ${tx.projectId} and c.id = t.conversation_id
        join findings r on r.project_id = c.project_id and r.id = t.finding_id
        where c.started_at > r.resolved_at)
    returning f.id, old.resolved_at`);
  await recordEvents(
    tx,
    [...regressed].map((row) => ({
      findingId: row.id,
      kind: "regressed",
      detail: { resolvedAt: Number(row.resolved_at) },
    })),
    { origin },
  );
}
