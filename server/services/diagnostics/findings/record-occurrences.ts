import { and, desc, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { findings, occurrences } from "@/db/schema";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { closestCause, fingerprint, type RuleOccurrence } from "../rules";
import { markSuperseded, protectedOccurrences, type Reading } from "../runs/superseded-readings";
import { type OccurrenceChanges, refreshFindings } from "./refresh-findings";

/** A new cause is compared with at most this many Findings of its Rule and Signal, most recently detected first. */
const CANDIDATES = 500;

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
  const protectedPairs = await protectedOccurrences(tx, readings);

  const findingOf = findingResolver(tx);
  const rows = new Map<string, ReturnType<typeof occurrenceRow>>();
  for (const reading of readings) {
    for (const occurrence of reading.occurrences) {
      const findingId = await findingOf(reading, occurrence);
      const key = `${findingId} ${reading.conversation.id}`;
      if (protectedPairs.has(key)) continue;
      const before = rows.get(key);
      // A concurrent Run over the same part of the conversation found the same.
      if (before && before.rule_run_id !== reading.run.id) continue;
      // Two causes that map to one Finding become one Occurrence with the evidence of both.
      if (before) before.evidence = [...before.evidence, ...occurrence.evidence];
      else rows.set(key, occurrenceRow(findingId, reading, occurrence));
    }
  }

  const changes = await replaceOccurrences(tx, readings, protectedPairs, [...rows.values()]);
  await refreshFindings(tx, {
    changes,
    conversationIds: readings.map((reading) => reading.conversation.id),
  });
}

/** Takes exclusive advisory locks on recording Findings of these Rules in this project until the transaction ends. */
export async function lockFindings(tx: Ctx, ruleIds: readonly string[]) {
  for (const ruleId of [...new Set(ruleIds)].sort()) {
    await tx.db.execute(
      sql`select pg_advisory_xact_lock(hashtextextended(${`findings ${tx.projectId} ${ruleId}`}, 0))`,
    );
  }
}

/** Resolves a cause to a Finding: by fingerprint, else by a similar cause of the same Rule and Signal, else a new one. */
function findingResolver(tx: Ctx) {
  const bySignal = new Map<string, { id: string; cause: string }[]>();
  const byFingerprint = new Map<string, string>();

  return async (reading: Reading, occurrence: RuleOccurrence): Promise<string> => {
    const print = fingerprint(reading.run.ruleId, occurrence.signal, occurrence.cause);
    const cached = byFingerprint.get(print);
    if (cached) return cached;

    const [exact] = await tx.db
      .select({ id: findings.id })
      .from(findings)
      .where(and(eq(findings.projectId, tx.projectId), eq(findings.fingerprint, print)));
    const id = exact?.id ?? (await similar()) ?? (await create());
    byFingerprint.set(print, id);
    return id;

    async function similar() {
      const known = await candidates();
      const closest = closestCause(
        occurrence.cause,
        known.map(({ cause }) => cause),
      );
      return known.find(({ cause }) => cause === closest)?.id;
    }

    async function candidates() {
      const key = `${reading.run.ruleId} ${occurrence.signal}`;
      let list = bySignal.get(key);
      if (!list) {
        list = await tx.db
          .select({ id: findings.id, cause: findings.cause })
          .from(findings)
          .where(
            and(
              eq(findings.projectId, tx.projectId),
              eq(findings.ruleId, reading.run.ruleId),
              eq(findings.signal, occurrence.signal),
            ),
          )
          .orderBy(desc(findings.lastDetectedAt), desc(findings.id))
          .limit(CANDIDATES);
        bySignal.set(key, list);
      }
      return list;
    }

    async function create() {
      const created = {
        projectId: tx.projectId,
        id: newId("fnd"),
        ruleId: reading.run.ruleId,
        signal: occurrence.signal,
        fingerprint: print,
        cause: occurrence.cause,
        title: occurrence.title,
        summary: occurrence.summary,
        severity: occurrence.severity,
        // Computed from the occurrences by `refreshFindings` in the same transaction.
        diagnosticScore: 0,
        diagnosticScoreParts: { severity: 0, confidence: 0, spread: 0 },
        reviewStatus: "unreviewed" as const,
        firstDetectedAt: reading.conversation.lastActivityAt,
        lastDetectedAt: reading.conversation.lastActivityAt,
        updatedAt: NOW,
      };
      await tx.db.insert(findings).values(created);
      (await candidates()).unshift(created);
      return created.id;
    }
  };
}

const occurrenceRow = (findingId: string, { run, conversation }: Reading, occurrence: RuleOccurrence) => ({
  id: newId("occ"),
  finding_id: findingId,
  conversation_id: conversation.id,
  rule_run_id: run.id,
  score: occurrence.score,
  confidence: occurrence.confidence,
  severity: occurrence.severity,
  title: occurrence.title,
  summary: occurrence.summary,
  evidence: occurrence.evidence,
  detected_at: conversation.lastActivityAt,
});

const pairOf = (row: { finding_id: string; conversation_id: string }) => `${row.finding_id} ${row.conversation_id}`;

/** Upserts the rows, deletes Occurrences that the same Rules do not find again, and returns the changes per Finding. */
async function replaceOccurrences(
  tx: Ctx,
  readings: readonly Reading[],
  protectedPairs: ReadonlySet<string>,
  rows: readonly ReturnType<typeof occurrenceRow>[],
): Promise<OccurrenceChanges> {
  const read = readings.map(({ run, conversation }) => ({ rule_id: run.ruleId, conversation_id: conversation.id }));
  const stay = [...protectedPairs, ...rows.map(pairOf)];
  // Occurrences of a Finding that a person confirmed or dismissed have been judged and are not deleted.
  const gone = await tx.db.execute<{ finding_id: string }>(sql`
    delete from occurrences o
    using findings f, ${rowsOf(read, "rule_id text, conversation_id text")}
    where o.project_id = ${tx.projectId} and o.conversation_id = t.conversation_id
      and f.project_id = o.project_id and f.id = o.finding_id and f.rule_id = t.rule_id and f.review_status = 'unreviewed'
      and o.finding_id || ' ' || o.conversation_id <> all(${textArray(stay)})
    returning o.finding_id`);

  // `on conflict do update` locks an existing row, which sets its `xmax`; on a new row it is 0.
  const insert = insertOf(occurrences, {
    same: { project_id: tx.projectId, updated_at: NOW },
    rows,
    left: ["created_at"],
    onConflict: { on: ["project_id", "finding_id", "conversation_id"], keep: ["id"] },
  });
  const written = await tx.db.execute<{ finding_id: string; is_new: boolean }>(
    sql`${insert} returning finding_id, xmax = 0 as is_new`,
  );

  // A resolved Finding regresses only on conversations that started after it was resolved.
  await tx.db.execute(sql`
    update findings f set resolution_status = 'unresolved', resolved_at = null, regressed_at = ${NOW},
      updated_at = ${NOW}
    where f.project_id = ${tx.projectId} and f.resolution_status = 'resolved'
      and f.id = any(${sql.param(rows.map((row) => row.finding_id))}::text[])
      and exists (
        select 1 from occurrences o join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
        where o.project_id = f.project_id and o.finding_id = f.id and c.started_at > f.resolved_at)`);

  const changes = new Map<string, number>();
  const add = (findingId: string, more: number) => changes.set(findingId, (changes.get(findingId) ?? 0) + more);
  for (const row of gone) add(row.finding_id, -1);
  for (const row of written) add(row.finding_id, row.is_new ? 1 : 0);
  return changes;
}
