import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { conversations, findings, occurrences } from "@/db/schema";
import type { Evidence } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { inOrderOf } from "@/server/platform/sorted-page";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching } from "@/server/services/telemetry";
import { listOccurrencesInput, occurrencesReply } from "../schemas";
import { shippedBasis } from "./judged-findings";

export const listOccurrences = verb(
  {
    name: "findings.occurrences",
    summary: "List the conversations in which a Finding occurred, newest first.",
    description: "`conversationId` (Whetstone's id or the client's own) narrows the list to that conversation.",
    effect: "read",
    capability: "diagnostics:read",
    input: listOccurrencesInput,
    reply: occurrencesReply,
  },
  async (ctx, { findingId, conversationId, limit, cursor }) => {
    const [finding] = await ctx.db
      .select({ signal: findings.signal })
      .from(findings)
      .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
    if (!finding) throw notFound("Finding");

    const list = newestFirst({
      name: "occurrences",
      filters: { project: ctx.projectId, findingId, conversationId },
      time: occurrences.detectedAt,
      id: occurrences.id,
      limit,
      cursor,
    });
    const ofConversation =
      conversationId === undefined
        ? undefined
        : sql`${occurrences.conversationId} = any(${conversationIdsMatching(ctx.projectId, conversationId)})`;
    const found = await occurrencesOf(
      ctx,
      { id: findingId, signal: finding.signal },
      list.fetch,
      and(list.after, ofConversation),
    );
    const { rows, nextCursor } = list.page(found, (row) => [row.detectedAt, row.id]);
    return { occurrences: rows, pagination: { limit, nextCursor } };
  },
);

/** Returns occurrences of a Finding, newest first, with the client's own id of each conversation. */
export async function occurrencesOf(
  ctx: Ctx,
  { id: findingId, signal }: { id: string; signal: string },
  limit: number,
  only?: SQL,
) {
  const rows = await ctx.db
    .select({
      id: occurrences.id,
      findingId: occurrences.findingId,
      conversationId: occurrences.conversationId,
      conversationExternalId: conversations.externalId,
      conversationCost: conversations.cost,
      conversationUnpricedCallCount: conversations.unpricedCallCount,
      ruleRunId: occurrences.ruleRunId,
      severity: occurrences.severity,
      score: occurrences.score,
      confidence: occurrences.confidence,
      title: occurrences.title,
      summary: occurrences.summary,
      evidence: occurrences.evidence,
      detectedAt: occurrences.detectedAt,
      updatedAt: occurrences.updatedAt,
    })
    .from(occurrences)
    .innerJoin(
      conversations,
      and(eq(conversations.projectId, occurrences.projectId), eq(conversations.id, occurrences.conversationId)),
    )
    .where(and(eq(occurrences.projectId, ctx.projectId), eq(occurrences.findingId, findingId), only))
    .orderBy(desc(occurrences.detectedAt), desc(occurrences.id))
    .limit(limit);
  return rows.map((row) => ({
    ...row,
    conversationCost: row.conversationCost === null ? null : Number(row.conversationCost),
    confidenceBasis: shippedBasis(signal, row.confidence),
    evidence: distinctQuotes(row.evidence),
  }));
}

/** Occurrences among which the clearest is chosen: a Finding may have millions. */
const COMPARED = 200;

/** Returns the occurrence whose Signal is the strongest among the newest ones; `null` if there is none. */
export async function clearestOccurrence(ctx: Ctx, finding: { id: string; signal: string }) {
  const [clearest] = await clearestOccurrences(ctx, finding, 1);
  return clearest ?? null;
}

/** Returns the occurrences whose Signals are the strongest among the newest ones, the clearest first. */
export async function clearestOccurrences(ctx: Ctx, finding: { id: string; signal: string }, limit: number) {
  const best = await ctx.db.execute<{ id: string }>(sql`
    select id from (
      select id, score, confidence, evidence, detected_at from occurrences
      where project_id = ${ctx.projectId} and finding_id = ${finding.id}
      order by detected_at desc, id desc limit ${COMPARED}
    ) newest
    order by jsonb_array_length(evidence) = 0, score desc, confidence desc, detected_at, id limit ${limit}`);
  const ids = [...best].map(({ id }) => id);
  return inOrderOf(ids, await occurrencesOf(ctx, finding, limit, inArray(occurrences.id, ids)));
}

/** Leaves out quotes that an earlier one repeats: several Signals of one failure quote the same. */
function distinctQuotes(evidence: readonly Evidence[]): Evidence[] {
  const seen = new Set<string>();
  return evidence.filter(({ messageIndex, spanId, start, end }) => {
    const key = `${messageIndex} ${messageIndex === null ? spanId : ""} ${start} ${end}`;
    return !seen.has(key) && seen.add(key);
  });
}
