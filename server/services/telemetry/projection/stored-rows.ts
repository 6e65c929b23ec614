import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";

type SpanId = { traceId: string; spanId: string };
export const callKey = ({ traceId, spanId }: SpanId) => `${traceId} ${spanId}`;
export const toolCallKey = (call: SpanId & { requestNumber: number }) => `${callKey(call)} ${call.requestNumber}`;
export const ofCallKey = (key: string) => {
  const [trace_id = "", span_id = "", request_number = "0"] = key.split(" ");
  return { trace_id, span_id, request_number: Number(request_number) };
};

export type StoredRows = {
  /** Digests by position, by conversation. */
  messages: Map<string, string[]>;
  /** Digests by `toolCallKey`. */
  toolCalls: Map<string, string>;
  /** By `callKey`. */
  modelCalls: Map<string, { digest: string; labels: string[] }>;
  /** Versions of search rows by conversation. */
  search: Map<string, string>;
  /** Whether the project has feedback whose conversation has not arrived. */
  waitingFeedback: boolean;
  /** Whether these conversations have feedback that spans reported. */
  sentFeedback: boolean;
};

type Group = { kind: keyof StoredRows; of: string; labels: string[] | null; digests: string };

/**
 * Returns what is stored of conversations, as digests and in one statement: a pass over a conversation that grows by one
 * message compares hundreds of rows. Ids and digests contain no spaces. Calls are also found by their traces: a call whose
 * trace has just moved here may still be stored under its old conversation.
 */
export async function loadStoredRows(
  tx: Db,
  projectId: string,
  conversations: readonly { id: string; traceIds: readonly string[] }[],
): Promise<StoredRows> {
  const ids = textArray(conversations.map(({ id }) => id));
  const traces = textArray(conversations.flatMap(({ traceIds }) => traceIds));
  const groups = await tx.execute<Group>(sql`
    select 'messages' as kind, conversation_id as of, null::text[] as labels, string_agg(digest, ' ' order by position) as digests
    from conversation_messages where project_id = ${projectId} and conversation_id = any(${ids}) group by conversation_id
    union all
    select 'toolCalls', '', null, string_agg(concat_ws(' ', trace_id, span_id, request_number, digest), ' ')
    from tool_calls where project_id = ${projectId} and conversation_id = any(${ids}) having count(*) > 0
    union all
    select 'modelCalls', '', labels, string_agg(trace_id || ' ' || span_id || ' ' || digest, ' ')
    from model_calls where project_id = ${projectId} and (conversation_id = any(${ids}) or trace_id = any(${traces}))
    group by labels
    union all
    select 'search', conversation_id, null, xmin::text
    from conversation_search where project_id = ${projectId} and conversation_id = any(${ids})
    union all
    select 'waitingFeedback', '', null, ''
    where exists (select 1 from feedback where project_id = ${projectId} and conversation_id is null)
    union all
    select 'sentFeedback', '', null, ''
    where exists (
      select 1 from feedback where project_id = ${projectId} and conversation_id = any(${ids}) and source = 'otlp')`);
  const stored: StoredRows = {
    messages: new Map(),
    toolCalls: new Map(),
    modelCalls: new Map(),
    search: new Map(),
    waitingFeedback: false,
    sentFeedback: false,
  };
  for (const { kind, of, labels, digests } of groups) {
    if (kind === "messages") stored.messages.set(of, digests.split(" "));
    else if (kind === "search") stored.search.set(of, digests);
    else if (kind === "toolCalls") for (const [key, digest] of callsIn(digests, 3)) stored.toolCalls.set(key, digest);
    else if (kind === "modelCalls")
      for (const [key, digest] of callsIn(digests, 2)) stored.modelCalls.set(key, { digest, labels: labels ?? [] });
    else stored[kind] = true;
  }
  return stored;
}

/** Yields calls whose keys have this many words. */
function* callsIn(digests: string, keyWords: number): Generator<[key: string, digest: string]> {
  const words = digests.split(" ");
  for (let at = 0; at + keyWords < words.length; at += keyWords + 1)
    yield [words.slice(at, at + keyWords).join(" "), words[at + keyWords] ?? ""];
}
