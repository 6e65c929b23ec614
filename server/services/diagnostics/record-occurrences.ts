import { and, desc, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type OccurrenceChanges, refreshFindings } from "./refresh-findings";
import { closestCause, fingerprint, type RuleOccurrence } from "./rules";
import type { ConversationSnapshot } from "./types";

/** Findings of one Rule and Signal that a new cause is compared with, those seen last first. */
const CANDIDATES = 500;

type Reading = {
  runId: string;
  ruleId: string;
  conversation: ConversationSnapshot;
  occurrences: readonly RuleOccurrence[];
};

/**
 * Joins what Rules found to Findings. A conversation counts once for a Finding; reading it again replaces what the Rule
 * said of it before. Must run in a transaction: it locks the Rules' Findings of the project until the end, so that two
 * workers never make two Findings of one cause.
 */
export async function recordOccurrences(tx: Ctx, readings: readonly Reading[]) {
  if (readings.length === 0) return;
  await lockFindings(
    tx,
    readings.map((reading) => reading.ruleId),
  );

  const findingOf = findingResolver(tx);
  const rows = new Map<string, ReturnType<typeof occurrenceRow>>();
  for (const reading of readings) {
    for (const occurrence of reading.occurrences) {
      const findingId = await findingOf(reading, occurrence);
      const key = `${findingId} ${reading.conversation.id}`;
      const before = rows.get(key);
      // Two causes that joined one Finding are one Occurrence, with the evidence of both.
      if (before) before.evidence = [...before.evidence, ...occurrence.evidence];
      else rows.set(key, occurrenceRow(findingId, reading, occurrence));
    }
  }

  const changes = await replaceOccurrences(tx, readings, [...rows.values()]);
  await refreshFindings(tx, {
    changes,
    conversationIds: readings.map((reading) => reading.conversation.id),
  });
}

/** Nobody else joins anything to the Findings of these Rules in this project until the transaction ends. */
export async function lockFindings(tx: Ctx, ruleIds: readonly string[]) {
  for (const ruleId of [...new Set(ruleIds)].sort()) {
    await tx.db.execute(
      sql`select pg_advisory_xact_lock(hashtextextended(${`findings ${tx.projectId} ${ruleId}`}, 0))`,
    );
  }
}

/** The Finding of a cause: the same fingerprint, else a similar cause of the same Rule and Signal, else a new one. */
function findingResolver(tx: Ctx) {
  const bySignal = new Map<string, { id: string; cause: string }[]>();
  const byFingerprint = new Map<string, string>();

  return async (reading: Reading, occurrence: RuleOccurrence): Promise<string> => {
    const print = fingerprint(reading.ruleId, occurrence.signal, occurrence.cause);
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
      const key = `${reading.ruleId} ${occurrence.signal}`;
      let list = bySignal.get(key);
      if (!list) {
        list = await tx.db
          .select({ id: findings.id, cause: findings.cause })
          .from(findings)
          .where(
            and(
              eq(findings.projectId, tx.projectId),
              eq(findings.ruleId, reading.ruleId),
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
        ruleId: reading.ruleId,
        signal: occurrence.signal,
        fingerprint: print,
        cause: occurrence.cause,
        title: occurrence.title,
        summary: occurrence.summary,
        severity: occurrence.severity,
        // Computed with everything else that follows from occurrences, in the same transaction.
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

const occurrenceRow = (findingId: string, { runId, conversation }: Reading, occurrence: RuleOccurrence) => ({
  id: newId("occ"),
  finding_id: findingId,
  conversation_id: conversation.id,
  rule_run_id: runId,
  score: occurrence.score,
  confidence: occurrence.confidence,
  severity: occurrence.severity,
  title: occurrence.title,
  summary: occurrence.summary,
  evidence: occurrence.evidence,
  detected_at: conversation.lastActivityAt,
});

/** Writes the rows, takes away what the same Rules said before and no longer say, answers what changed. */
async function replaceOccurrences(
  tx: Ctx,
  readings: readonly Reading[],
  rows: readonly ReturnType<typeof occurrenceRow>[],
): Promise<OccurrenceChanges> {
  const read = readings.map((reading) => ({ rule_id: reading.ruleId, conversation_id: reading.conversation.id }));
  // A person who confirmed or dismissed a Finding has judged its occurrences: those stay.
  const gone = await tx.db.execute<{ finding_id: string }>(sql`
    delete from occurrences o
    using findings f, jsonb_to_recordset(${JSON.stringify(read)}::text::jsonb) as t(rule_id text, conversation_id text)
    where o.project_id = ${tx.projectId} and o.conversation_id = t.conversation_id
      and f.project_id = o.project_id and f.id = o.finding_id and f.rule_id = t.rule_id and f.review_status = 'unreviewed'
      and not exists (
        select 1 from jsonb_to_recordset(${JSON.stringify(rows.map(({ finding_id, conversation_id }) => ({ finding_id, conversation_id })))}::text::jsonb)
          as kept(finding_id text, conversation_id text)
        where kept.finding_id = o.finding_id and kept.conversation_id = o.conversation_id)
    returning o.finding_id`);

  // `on conflict do update` locks the row that it finds, and the lock's transaction stays in `xmax`: new rows have none.
  const written = await tx.db.execute<{ finding_id: string; is_new: boolean }>(sql`
    insert into occurrences (project_id, id, finding_id, conversation_id, rule_run_id, score, confidence, severity, title,
                             summary, evidence, detected_at, updated_at)
    select ${tx.projectId}::text, t.*, ${NOW}
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as t(id text, finding_id text, conversation_id text, rule_run_id text, score float8, confidence float8,
           severity text, title text, summary text, evidence jsonb, detected_at bigint)
    on conflict (project_id, finding_id, conversation_id) do update set
      rule_run_id = excluded.rule_run_id, score = excluded.score, confidence = excluded.confidence,
      severity = excluded.severity, title = excluded.title, summary = excluded.summary, evidence = excluded.evidence,
      detected_at = excluded.detected_at, updated_at = excluded.updated_at
    returning finding_id, xmax = 0 as is_new`);

  // A resolved Finding regresses on conversations that started after the resolve, and on no others.
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
