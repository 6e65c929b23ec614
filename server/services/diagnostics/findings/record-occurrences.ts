import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { occurrences } from "@/db/schema";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { markRegressed } from "../fixes/resolution-fixes";
import { asEvidenceOfLeads, fingerprint, rulesSharingFindings } from "../rules";
import { markSuperseded, protectedOccurrences, type Reading } from "../runs/superseded-readings";
import { type OccurrenceChanges, occurrenceChanges } from "./counts/occurrence-changes";
import { refreshFindings } from "./counts/refresh-findings";
import { type RunOrigin, recordEvents } from "./finding-events";
import { type CausePart, composeOccurrence, partsOf, type StoredOccurrence } from "./grouping/occurrence-parts";
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
  const readings = all
    .filter(({ run }) => !superseded.has(run.id))
    .map((reading) => ({ ...reading, occurrences: asEvidenceOfLeads(reading.occurrences) }));
  if (readings.length === 0) return;
  const origin = readings.some(({ run }) => run.origin !== "backfill") ? "automatic" : "backfill";

  const findingOf = await placeCauses(tx, causesOf(readings));
  const protectedParts = await protectedOccurrences(tx, readings);
  const before = await occurrencesBefore(tx, readings);
  const recorded = occurrenceRows({ readings, findingOf, before, protectedParts });

  const changes = await replaceOccurrences(tx, before, recorded);
  await regress(tx, recorded.rows, origin);
  await refreshFindings(tx, { changes, conversationIds: readings.map(({ conversation }) => conversation.id), origin });
}

/**
 * Takes exclusive advisory locks on recording Findings of these Rules in this project until the transaction ends. Rules that
 * share Findings are locked together.
 */
export async function lockFindings(tx: Ctx, ruleIds: readonly string[]) {
  const locks = [...new Set(ruleIds.flatMap(rulesSharingFindings))]
    .sort()
    .map((ruleId) => `findings ${tx.projectId} ${ruleId}`);
  if (locks.length === 0) return;
  // In the same order everywhere, so that two workers never wait for each other.
  await tx.db.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(name, 0))
    from unnest(${textArray(locks)}) with ordinality t(name, place) order by place`);
}

/** Returns the distinct causes that the readings report. */
function causesOf(readings: readonly Reading[]): ReportedCause[] {
  const causes = new Map<string, ReportedCause>();
  for (const { run, conversation, occurrences } of readings) {
    const { origin } = run;
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
const readingOf = (ruleId: string, conversationId: string) => `${ruleId} ${conversationId}`;

type Before = StoredOccurrence & {
  id: string;
  finding_id: string;
  conversation_id: string;
  placed: boolean;
  /** The Rule of each cause, in their order. */
  rules: string[];
  reviewed: boolean;
};

/** Returns what is recorded in these conversations so far, by Finding and conversation. */
async function occurrencesBefore(tx: Ctx, readings: readonly Reading[]): Promise<ReadonlyMap<string, Before>> {
  const rows = await tx.db.execute<Before>(sql`
    select o.*, f.review_status <> 'unreviewed' as reviewed, array(
      select coalesce(c.rule_id, f.rule_id) from unnest(o.cause_ids) with ordinality t(id, n)
      left join finding_causes c on c.project_id = o.project_id and c.id = t.id order by t.n) as rules
    from occurrences o join findings f on f.project_id = o.project_id and f.id = o.finding_id
    where o.project_id = ${tx.projectId}
      and o.conversation_id = any(${textArray([...new Set(readings.map(({ conversation }) => conversation.id))])})`);
  return new Map([...rows].map((row) => [pairOf(row), row]));
}

/** Returns the parts of an occurrence that these readings neither replace nor find missing. */
function partsThatStay(row: Before, read: ReadonlySet<string>, protectedParts: ReadonlySet<string>): CausePart[] {
  return partsOf(row).filter((_, at) => {
    const rule = row.rules[at]!;
    return !read.has(readingOf(rule, row.conversation_id)) || protectedParts.has(`${rule} ${pairOf(row)}`);
  });
}

type Recorded = {
  readings: readonly Reading[];
  findingOf: ReadonlyMap<string, string>;
  before: ReadonlyMap<string, Before>;
  protectedParts: ReadonlySet<string>;
};

/**
 * Composes one row for each Finding and conversation from what the readings report and what other Rules, or wider readings,
 * reported before. Also returns the occurrences of which nothing is left.
 */
function occurrenceRows({ readings, findingOf, before, protectedParts }: Recorded) {
  // Where a person moved individual conversations, their causes follow.
  const placed = new Map(
    [...before.values()]
      .filter((row) => row.placed)
      .flatMap((row) => row.cause_ids.map((id) => [`${id} ${row.conversation_id}`, row.finding_id] as const)),
  );
  const found = new Map<string, { findingId: string; conversationId: string; causes: Map<string, CausePart> }>();
  const runOf = new Map<string, string>();
  for (const { run, conversation, occurrences } of readings) {
    for (const { signal, cause, verdict: _, ...said } of occurrences) {
      const causeId = fingerprint(run.ruleId, signal, cause);
      const findingId = placed.get(`${causeId} ${conversation.id}`) ?? findingOf.get(causeId)!;
      const key = `${findingId} ${conversation.id}`;
      const part = `${run.ruleId} ${key}`;
      // A concurrent Run of the Rule over the same part of the conversation found the same.
      if (protectedParts.has(part) || (runOf.get(part) ?? run.id) !== run.id) continue;
      runOf.set(part, run.id);
      const known = found.get(key);
      const causes = known?.causes ?? new Map<string, CausePart>();
      causes.set(causeId, { causeId, ...said, ruleRunId: run.id, detectedAt: conversation.lastActivityAt });
      if (!known) found.set(key, { findingId, conversationId: conversation.id, causes });
    }
  }

  const read = new Set(readings.map(({ run, conversation }) => readingOf(run.ruleId, conversation.id)));
  const gone: Before[] = [];
  for (const [key, row] of before) {
    const stay = partsThatStay(row, read, protectedParts);
    const known = found.get(key);
    if (known) {
      for (const part of stay) if (!known.causes.has(part.causeId)) known.causes.set(part.causeId, part);
      // Occurrences of a Finding that a person confirmed or dismissed have been judged and are not deleted.
    } else if (stay.length < row.cause_ids.length && !row.reviewed) {
      if (stay.length === 0) gone.push(row);
      else {
        const causes = new Map(stay.map((part) => [part.causeId, part]));
        found.set(key, { findingId: row.finding_id, conversationId: row.conversation_id, causes });
      }
    }
  }
  const rows = [...found].map(([key, { findingId, conversationId, causes }]) => ({
    id: newId("occ"),
    finding_id: findingId,
    conversation_id: conversationId,
    placed: before.get(key)?.placed ?? false,
    ...composeOccurrence([...causes.values()]),
  }));
  return { rows, gone };
}

/** Deletes and upserts Occurrences, and returns the changes per Finding. */
async function replaceOccurrences(
  tx: Ctx,
  before: ReadonlyMap<string, Before>,
  { rows, gone }: ReturnType<typeof occurrenceRows>,
): Promise<OccurrenceChanges> {
  const { changes, added, removed } = occurrenceChanges();
  if (gone.length > 0) {
    await tx.db.execute(sql`
      delete from occurrences
      where project_id = ${tx.projectId} and id = any(${textArray(gone.map(({ id }) => id))})`);
    for (const row of gone) removed(row);
  }
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
async function regress(tx: Ctx, rows: ReturnType<typeof occurrenceRows>["rows"], origin: RunOrigin) {
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
  await markRegressed(
    tx,
    [...regressed].map((row) => ({ id: row.id, resolvedAt: Number(row.resolved_at) })),
  );
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
