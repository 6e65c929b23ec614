import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { requireFinding } from "../merged-with";
import { contrastInput, contrastReply } from "../schemas";

/** Newest occurrences whose first requests are compared with those of other conversations. */
const REQUESTS = 20;
/** Conversations without a Finding that are compared, the newest first. */
const COMPARED = 1000;
/** Share of the words that two first requests must have in common. */
const SIMILAR = 0.3;

type Candidate = {
  id: string;
  external_id: string | null;
  started_at: string;
  preview: string | null;
  message_count: number;
  same_tool: boolean;
};

export const contrastFinding = verb(
  {
    name: "findings.contrast",
    summary: "List similar conversations that went well: same first request or same tool, and no Finding.",
    description: `Compares the newest ${COMPARED.toLocaleString("en")} conversations that Rules checked and found nothing in. The most similar come first.`,
    effect: "read",
    capability: "diagnostics:read",
    input: contrastInput,
    reply: contrastReply,
  },
  async (ctx, { findingId, limit }) => {
    await requireFinding(ctx, findingId);
    const affected = await ctx.db.execute<{ preview: string | null }>(sql`
      select c.preview from occurrences o
      join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
      where o.project_id = ${ctx.projectId} and o.finding_id = ${findingId}
      order by o.detected_at desc, o.id desc limit ${REQUESTS}`);
    const [cause] = await ctx.db.execute<{ subject: string | null }>(sql`
      select split_part(cause, ': ', 1) as subject from finding_causes
      where project_id = ${ctx.projectId} and finding_id = ${findingId} and cause like '%: %'
      order by occurrence_count desc, id limit 1`);
    const candidates = await ctx.db.execute<Candidate>(sql`
      select c.id, c.external_id, c.started_at, c.preview, c.message_count,
        c.tool_call_count > 0 and exists (
          select 1 from tool_calls t
          where t.project_id = c.project_id and t.conversation_id = c.id and t.name = ${cause?.subject ?? null}
        ) as same_tool
      from (
        select * from conversations
        where project_id = ${ctx.projectId} and finding_count = 0 and error_count = 0 and message_count > 1
        order by started_at desc, id desc limit ${COMPARED}
      ) c
      where exists (
        select 1 from rule_runs r
        where r.project_id = c.project_id and r.conversation_id = c.id and r.status = 'completed')
        and not exists (
        select 1 from occurrences o
        where o.project_id = c.project_id and o.conversation_id = c.id and o.finding_id = ${findingId})`);
    const requests = affected.map(({ preview }) => wordsOf(preview));
    const similar = candidates.flatMap(({ same_tool, ...row }) => {
      const words = wordsOf(row.preview);
      const similarity = Math.max(0, ...requests.map((request) => overlap(words, request)));
      if (similarity < SIMILAR && !same_tool) return [];
      return [{ row, similarity, because: similarity >= SIMILAR ? ("same_request" as const) : ("same_tool" as const) }];
    });
    similar.sort((a, b) => b.similarity - a.similarity || (a.row.id < b.row.id ? 1 : -1));
    return {
      conversations: similar.slice(0, limit).map(({ row, similarity, because }) => ({
        id: row.id,
        externalId: row.external_id,
        startedAt: Number(row.started_at),
        preview: row.preview,
        messageCount: row.message_count,
        similarity,
        because,
      })),
      compared: candidates.length,
    };
  },
);

/** Numbers differ between requests for the same thing. */
const wordsOf = (text: string | null) => new Set(text?.toLowerCase().match(/[\p{L}\p{M}]{2,}/gu) ?? []);

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common++;
  return common / (a.size + b.size - common);
}
