import { sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import type { REVIEW_STATUSES } from "@/db/schema/enumerations";
import type { Evidence } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { wordsOf } from "@/server/platform/text/words";
import type { CollectedOccurrence, Goal } from "../proposals";

type OccurrenceRow = {
  conversation_id: string;
  finding_id: string;
  rule_id: string;
  signal: string;
  title: string;
  review_status: (typeof REVIEW_STATUSES)[number];
  evidence: Evidence[];
};

/** Returns the Findings' occurrences in each conversation. */
export async function occurrencesIn({ db, projectId }: Ctx, conversationIds: readonly string[]) {
  const rows = await db.execute<OccurrenceRow>(sql`
    select o.conversation_id, f.id as finding_id, f.rule_id, f.signal, o.title, f.review_status, o.evidence
    from occurrences o join findings f on f.project_id = o.project_id and f.id = o.finding_id
    where o.project_id = ${projectId} and o.conversation_id = any(${textArray([...conversationIds])})
    order by o.conversation_id, f.id`);
  const found = new Map<string, CollectedOccurrence[]>();
  for (const row of rows) {
    const list = found.get(row.conversation_id) ?? [];
    list.push({
      findingId: row.finding_id,
      rule: row.rule_id,
      signal: row.signal,
      title: row.title,
      turns: row.evidence.flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex])),
      reviewStatus: row.review_status,
    });
    found.set(row.conversation_id, list);
  }
  return found;
}

/**
 * Returns the goals that a conversation may be about: it contains the words of a key phrase, or of the title if there is none.
 */
export async function goalsIn({ db, projectId }: Ctx, conversationIds: readonly string[], goals: readonly Goal[]) {
  const found = new Map<string, Set<string>>();
  const phrases = goals.flatMap(({ id, title, keyPhrases }) =>
    (keyPhrases.length > 0 ? keyPhrases : [title]).map((phrase) => ({ goal_id: id, terms: wordsOf([phrase]) })),
  );
  if (phrases.length === 0) return found;
  const rows = await db.execute<{ conversation_id: string; goal_id: string }>(sql`
    select distinct s.conversation_id, t.goal_id
    from conversation_search s join ${rowsOf(phrases, "goal_id text, terms text[]")} on s.terms @> t.terms
    where s.project_id = ${projectId} and s.conversation_id = any(${textArray([...conversationIds])})`);
  for (const { conversation_id, goal_id } of rows) {
    const ids = found.get(conversation_id) ?? new Set();
    found.set(conversation_id, ids.add(goal_id));
  }
  return found;
}
