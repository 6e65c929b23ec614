import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { EVALUATOR_KINDS, FEEDBACK_KINDS, FEEDBACK_SOURCES } from "@/db/schema/enumerations";
import type { Feedback } from "./schemas";

type Kind = (typeof FEEDBACK_KINDS)[number];

/** A user gives one thumb and one score per turn, and may change them, but may write several texts. */
const REPLACED: ReadonlySet<Kind> = new Set<Kind>(["thumb", "score"]);

/** The target of feedback: the conversation it names, and the trace and span within it. */
type Target = { conversationRef: string | null; traceId: string | null; spanId: string | null; name: string | null };

/** Returns the hash that identifies feedback: of its target and kind and, for text, the text itself. */
export const identityOf = ({ conversationRef, traceId, spanId, name }: Target, kind: Kind, value: string | number) =>
  createHash("sha256")
    .update(JSON.stringify([conversationRef, traceId, spanId, name, kind, REPLACED.has(kind) ? null : value]))
    .digest("base64url");

export type FeedbackRow = {
  id: string;
  conversation_id: string | null;
  conversation_ref: string | null;
  external_id: string | null;
  trace_id: string | null;
  span_id: string | null;
  kind: Kind;
  name: string | null;
  value: string | number;
  scale_min: number | null;
  scale_max: number | null;
  comment: string | null;
  source: (typeof FEEDBACK_SOURCES)[number];
  evaluator_kind: (typeof EVALUATOR_KINDS)[number] | null;
  given_by_user: boolean;
  given_at: string;
  message_index: number | null;
};

/**
 * Selects feedback `f` with the assistant message that it refers to: the one of its span; else the last one of its trace, no
 * later than the end of its span, which may be a wrapper.
 */
export const feedbackRows = (where: SQL, order: SQL) => sql`
  select f.id, f.conversation_id, f.conversation_ref, c.external_id, f.trace_id, f.span_id, f.kind, f.name, f.value,
    f.scale_min, f.scale_max, f.comment, f.source, f.evaluator_kind, f.given_by_user, f.given_at, coalesce(own.position, turn.position) as message_index
  from feedback f
  left join conversations c on c.project_id = f.project_id and c.id = f.conversation_id
  left join lateral (
    select max(m.position) as position from conversation_messages m
    where m.project_id = f.project_id and m.conversation_id = f.conversation_id and m.span_id = f.span_id
      and m.role = 'assistant'
  ) own on f.span_id is not null
  left join lateral (
    select s.trace_id, s.ended_us from unnest(c.trace_ids) t(id)
    join spans s on s.project_id = f.project_id and s.trace_id = t.id and s.span_id = f.span_id
    limit 1
  ) wrapper on own.position is null and f.span_id is not null
  left join lateral (
    select max(m.position) as position from conversation_messages m
    where m.project_id = f.project_id and m.conversation_id = f.conversation_id and m.role = 'assistant'
      and (wrapper.ended_us is null or m.at is null or m.at <= wrapper.ended_us / 1000)
      and exists (
        select 1 from spans s
        where s.project_id = f.project_id and s.trace_id = coalesce(wrapper.trace_id, f.trace_id) and s.span_id = m.span_id)
  ) turn on own.position is null and coalesce(wrapper.trace_id, f.trace_id) is not null
  where ${where} order by ${order}`;

export const feedbackJson = (row: FeedbackRow): Feedback => ({
  id: row.id,
  conversationId: row.conversation_id,
  conversationExternalId: row.external_id ?? (row.conversation_id === null ? row.conversation_ref : null),
  traceId: row.trace_id,
  spanId: row.span_id,
  kind: row.kind,
  value: row.value,
  scale: row.scale_min === null || row.scale_max === null ? null : { min: row.scale_min, max: row.scale_max },
  comment: row.comment,
  name: row.name,
  source: row.source,
  evaluatorKind: row.evaluator_kind,
  givenByUser: row.given_by_user,
  messageIndex: row.message_index,
  givenAt: Number(row.given_at),
});
