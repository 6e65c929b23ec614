import { and, desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { conversations, findings, occurrences } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { cursorFor, pageOf } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { listOccurrencesInput, occurrencesReply } from "./schemas";

const position = z.tuple([z.number(), z.string()]);

export const listOccurrences = verb(
  {
    name: "findings.occurrences",
    summary: "List the conversations in which a Finding showed, newest first.",
    effect: "read",
    capability: "diagnostics:read",
    input: listOccurrencesInput,
    reply: occurrencesReply,
  },
  async (ctx, { findingId, limit, cursor }) => {
    const [found] = await ctx.db
      .select({ id: findings.id })
      .from(findings)
      .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
    if (!found) throw notFound("Finding");

    const page = cursorFor<[number, string]>("occurrences", { project: ctx.projectId, findingId });
    const after = cursor === undefined ? undefined : page.decode(cursor, position);
    const rows = await occurrencesOf(ctx, findingId, limit + 1, after);
    const { rows: shown, nextCursor } = pageOf(
      rows,
      limit,
      (row) => [row.detectedAt, row.id] as [number, string],
      page.encode,
    );
    return { occurrences: shown, pagination: { limit, nextCursor } };
  },
);

/** Newest first, with the client's own id of each conversation. */
export const occurrencesOf = (ctx: Ctx, findingId: string, limit: number, after?: [number, string]) =>
  ctx.db
    .select({
      id: occurrences.id,
      findingId: occurrences.findingId,
      conversationId: occurrences.conversationId,
      conversationExternalId: conversations.externalId,
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
    .where(
      and(
        eq(occurrences.projectId, ctx.projectId),
        eq(occurrences.findingId, findingId),
        after && sql`(${occurrences.detectedAt}, ${occurrences.id}) < (${after[0]}::bigint, ${after[1]})`,
      ),
    )
    .orderBy(desc(occurrences.detectedAt), desc(occurrences.id))
    .limit(limit);
