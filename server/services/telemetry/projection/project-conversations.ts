import { hash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { inOrder } from "@/db/in-order";
import { rowsOf, textArray } from "@/db/rows";
import {
  conversationMessages,
  conversationSearch,
  conversations as conversationTable,
  modelCalls,
  toolCalls,
} from "@/db/schema";
import { insertsOf, updateOf } from "@/db/sets";
import type { ProjectId } from "@/server/platform/context";
import { currentPriceBook, type PriceBook, priceCall } from "@/server/services/pricing";
import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import { allLabels } from "../conversations/own-labels";
import { attachFeedback, writeSentFeedback } from "../feedback";
import { READER_VERSION } from "../otlp";
import type { AssembledConversation, UnpricedModelCall } from "../otlp/types";
import { isByUser, type Message } from "../schemas";
import { termsOf } from "../search/search-terms";
import type { RowMemo } from "./row-memo";
import { callKey, loadStoredRows, ofCallKey, type StoredRows, toolCallKey } from "./stored-rows";
import { traitsOf } from "./traits-of";

/** Characters of the first user message that lists show. */
const PREVIEW_CHARACTERS = 280;

/** `memo` belongs to the reading that the conversation was assembled from. `isEmpty`: nothing of it is stored yet. */
export type ProjectedConversation = {
  id: string;
  traceIds: string[];
  ownLabels: readonly string[];
  assembled: AssembledConversation;
  memo: RowMemo;
  isEmpty: boolean;
};
/** With the labels from the client and from people combined. */
type Described = ProjectedConversation & { labels: string[]; traits: string[] };

const digestOf = (row: object) => hash("sha1", JSON.stringify(row), "base64url");

/** Response ids of all calls in the written conversations, and of those whose rows changed. */
export type WrittenCalls = { responseIds: readonly string[]; changedResponseIds: readonly string[] };

/**
 * Writes rebuilt conversations. Only changed rows are written: appending a message to a long conversation writes one row, and
 * an unchanged model call keeps its stored cost.
 */
export async function writeConversations(
  tx: Db,
  projectId: string,
  projected: readonly ProjectedConversation[],
  receivedAt: number,
): Promise<WrittenCalls> {
  const conversations: Described[] = projected.map((conversation) => ({
    ...conversation,
    labels: allLabels(conversation.assembled.labels, conversation.ownLabels),
    traits: traitsOf(conversation.assembled),
  }));
  const ids = conversations.map(({ id }) => id);
  const calls = conversations.flatMap(({ assembled }) => assembled.modelCalls);
  const stored = await loadStoredRows(
    tx,
    projectId,
    projected.filter(({ isEmpty }) => !isEmpty),
  );

  const { changed, gone } = changedModelCalls(conversations, stored);
  const [modelCallRows] = await Promise.all([
    withCosts(tx, projectId, changed, stored),
    inOrder(tx, [
      ...messageWrites(projectId, conversations, stored),
      ...toolCallWrites(projectId, conversations, stored),
    ]),
  ]);
  const search = changedSearch(conversations, stored);
  const results = await inOrder<WrittenSearch>(tx, [
    ...deletionsOf("model_calls", projectId, gone),
    ...insertsOf(modelCalls, { same: { project_id: projectId }, rows: modelCallRows, onConflict: {} }),
    ...summaryWrites(projectId, ids, conversations, receivedAt),
    ...searchWrites(projectId, search),
  ]);
  rememberSearch(search, stored, results.flat());

  if (stored.waitingFeedback) await attachFeedback(tx, projectId, ids);
  if (stored.sentFeedback || conversations.some(({ assembled }) => assembled.feedback.length > 0)) {
    await writeSentFeedback(
      tx,
      projectId,
      conversations.map(({ id, assembled }) => ({ id, feedback: assembled.feedback })),
    );
  }
  return {
    responseIds: responseIdsOf(calls),
    changedResponseIds: responseIdsOf(changed.map(({ call }) => call)),
  };
}

const responseIdsOf = (calls: readonly UnpricedModelCall[]) => [
  ...new Set(calls.flatMap(({ responseId }) => indexable(responseId) ?? [])),
];

function* messageWrites(projectId: string, conversations: readonly ProjectedConversation[], stored: StoredRows) {
  const changed = [];
  const shorter = [];
  for (const { id, assembled, memo } of conversations) {
    const known = stored.messages.get(id) ?? [];
    for (const [position, message] of assembled.messages.entries()) {
      const row = () => ({
        conversation_id: id,
        position,
        role: message.role,
        parts: message.parts,
        tool_calls: message.toolCalls,
        tool_call_id: message.toolCallId,
        span_id: message.spanId,
        agent: message.agent,
        at: message.at === null ? null : Math.floor(message.at),
      });
      // Together with the parts this covers the whole row: role, calls and call id belong to the same message as the parts.
      const place = `${position} ${message.spanId} ${message.at} ${message.agent ?? ""}`;
      // An absent agent is not in it, so that rows that were stored before agents were read are unchanged.
      const digest = memo.digest(message.parts, place, () => digestOf({ ...row(), agent: message.agent ?? undefined }));
      if (digest !== known[position]) changed.push({ ...row(), digest });
    }
    if (known.length > assembled.messages.length) shorter.push({ id, length: assembled.messages.length });
  }
  if (shorter.length > 0) {
    yield sql`
      delete from conversation_messages m using ${rowsOf(shorter, "id text, length int")}
      where m.project_id = ${projectId} and m.conversation_id = t.id and m.position >= t.length`;
  }
  yield* insertsOf(conversationMessages, { same: { project_id: projectId }, rows: changed, onConflict: {} });
}

function* toolCallWrites(projectId: string, conversations: readonly ProjectedConversation[], stored: StoredRows) {
  const gone = new Set(stored.toolCalls.keys());
  const changed = [];
  for (const { id, assembled, memo } of conversations) {
    const places = placesOf(assembled.toolCalls);
    for (const [at, call] of assembled.toolCalls.entries()) {
      const place = places[at] ?? 0;
      const row = () => ({
        trace_id: call.traceId,
        span_id: call.spanId,
        conversation_id: id,
        call_id: call.callId,
        name: call.name,
        arguments: call.arguments,
        result: call.result,
        error: call.error,
        started_at: Math.floor(call.startedAt),
        ended_at: Math.floor(call.endedAt),
        place,
      });
      const digest = memo.digest(call, `${place}`, () => digestOf(row()));
      const key = toolCallKey(call);
      if (stored.toolCalls.get(key) !== digest) changed.push({ ...row(), request_number: call.requestNumber, digest });
      gone.delete(key);
    }
  }
  yield* deletionsOf("tool_calls", projectId, gone);
  yield* insertsOf(toolCalls, { same: { project_id: projectId }, rows: changed, onConflict: {} });
}

const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** Returns each call's position among those that start in the same millisecond. */
function placesOf(calls: readonly { startedAt: number }[]): number[] {
  let place = 0;
  return calls.map((call, at) => {
    place = Math.floor(calls[at - 1]?.startedAt ?? Number.NaN) === Math.floor(call.startedAt) ? place + 1 : 0;
    return place;
  });
}

const modelCallRow = (conversationId: string, call: UnpricedModelCall, place: number) => ({
  trace_id: call.traceId,
  span_id: call.spanId,
  conversation_id: conversationId,
  type: call.type,
  name: call.name,
  provider: call.provider,
  requested_model: call.requestedModel,
  response_model: call.responseModel,
  response_id: indexable(call.responseId),
  usage: call.usage,
  raw_usage: call.rawUsage,
  usage_rule: call.usageRule,
  finish_reasons: call.finishReasons,
  status: call.status,
  error: call.error,
  started_at: Math.floor(call.startedAt),
  ended_at: Math.floor(call.endedAt),
  place,
  reported_cost: call.reportedCost,
  prompt_name: call.prompt?.name ?? null,
  prompt_version: call.prompt?.version ?? null,
});

/** What a call's digest is of: without an absent prompt, so that rows stored before prompts were read are unchanged. */
function callContent(conversationId: string, call: UnpricedModelCall, place: number) {
  const { prompt_name, prompt_version, ...row } = modelCallRow(conversationId, call, place);
  return prompt_name === null ? row : { ...row, prompt_name, prompt_version };
}

type ChangedCall = { id: string; call: UnpricedModelCall; place: number; labels: string[]; digest: string };

/** Returns the calls whose rows differ from what is stored, and the keys of stored calls that no longer exist. */
function changedModelCalls(conversations: readonly Described[], stored: StoredRows) {
  const gone = new Set(stored.modelCalls.keys());
  const changed: ChangedCall[] = [];
  for (const { id, labels, assembled, memo } of conversations) {
    const places = placesOf(assembled.modelCalls);
    for (const [at, call] of assembled.modelCalls.entries()) {
      const place = places[at] ?? 0;
      const key = callKey(call);
      gone.delete(key);
      const before = stored.modelCalls.get(key);
      const digest = memo.digest(call, `${place}`, () => digestOf(callContent(id, call, place)));
      // Not part of the digest: people change labels without a rebuild.
      if (before?.digest !== digest || !sameList(before.labels, labels))
        changed.push({ id, call, place, labels, digest });
    }
  }
  return { changed, gone };
}

type StoredCost = {
  trace_id: string;
  span_id: string;
  priced_by: string;
  cost_total: string | null;
  cost: object | null;
};

/** The inputs of a call's price, other than the price book: while they are unchanged, so is the cost. */
const pricedBy = (call: UnpricedModelCall) =>
  JSON.stringify([call.provider, call.requestedModel, call.responseModel, Object.entries(call.usage ?? {}).sort()]);

/**
 * Returns the rows of changed calls: with their stored cost, or priced now if they are new or an input of their price changed.
 */
async function withCosts(tx: Db, projectId: string, changed: readonly ChangedCall[], stored: StoredRows) {
  const before = await loadCosts(
    tx,
    projectId,
    changed.map(({ call }) => callKey(call)).filter((key) => stored.modelCalls.has(key)),
  );
  let book: PriceBook | undefined;
  const rows = [];
  for (const { id, call, place, labels, digest } of changed) {
    const costs = before.get(callKey(call));
    // Applies even if no price was known: prices added later apply to later calls, and to earlier ones only by repricing.
    if (costs && samePricing(costs.priced_by, call)) {
      rows.push({ ...modelCallRow(id, call, place), digest, labels, cost_total: costs.cost_total, cost: costs.cost });
      continue;
    }
    book ??= await currentPriceBook({ db: tx, projectId: projectId as ProjectId });
    const { cost, totalDecimal } = priceCall(book, { ...call, at: call.startedAt });
    rows.push({ ...modelCallRow(id, call, place), digest, labels, cost_total: totalDecimal, cost });
  }
  return rows;
}

const samePricing = (stored: string, call: UnpricedModelCall) => {
  const [provider, requestedModel, responseModel, usage] = JSON.parse(stored);
  return pricedBy(call) === pricedBy({ ...call, provider, requestedModel, responseModel, usage });
};

async function loadCosts(tx: Db, projectId: string, keys: readonly string[]) {
  if (keys.length === 0) return new Map<string, StoredCost>();
  const calls = keys.map(ofCallKey);
  const rows = await tx.execute<StoredCost>(sql`
    select trace_id, span_id, cost_total, cost,
           json_build_array(provider, requested_model, response_model, usage)::text as priced_by
    from model_calls
    where project_id = ${projectId} and trace_id = any(${textArray([...new Set(calls.map(({ trace_id }) => trace_id))])})
      and (trace_id, span_id) in (
        select * from unnest(${textArray(calls.map(({ trace_id }) => trace_id))}, ${textArray(calls.map(({ span_id }) => span_id))}))`);
  return new Map([...rows].map((row) => [`${row.trace_id} ${row.span_id}`, row]));
}

/** No provider's ids are longer, and index entries are limited in size. */
const RESPONSE_ID_MAX = 300;
const indexable = (id: string | null) => (id !== null && id.length <= RESPONSE_ID_MAX ? id : null);

function* deletionsOf(table: "tool_calls" | "model_calls", projectId: string, keys: ReadonlySet<string>) {
  if (keys.size === 0) return;
  const sameRequest = table === "tool_calls" ? sql`and c.request_number = t.request_number` : sql``;
  yield sql`
    delete from ${sql.raw(table)} c
    using ${rowsOf([...keys].map(ofCallKey), "trace_id text, span_id text, request_number int")}
    where c.project_id = ${projectId} and c.trace_id = t.trace_id and c.span_id = t.span_id ${sameRequest}`;
}

function* summaryWrites(projectId: string, ids: string[], conversations: readonly Described[], receivedAt: number) {
  const rows = conversations.map(({ id, traceIds, labels, traits, assembled }) => ({
    id,
    trace_ids: traceIds,
    user_id: assembled.userId,
    models: modelsOf(assembled),
    sent_labels: assembled.labels,
    labels,
    traits,
    started_at: Math.floor(assembled.startedAt),
    last_activity_at: Math.floor(assembled.lastActivityAt),
    message_count: assembled.messages.length,
    model_call_count: assembled.modelCalls.length,
    tool_call_count: assembled.toolCalls.length,
    error_count: assembled.errorCount,
    usage: sumUsage(assembled.modelCalls),
    preview: previewOf(assembled.messages),
    reader_version: READER_VERSION,
  }));
  if (rows.length === 0) return;
  const summaries = updateOf(conversationTable, rows);
  // The database sums costs, as decimals.
  yield sql`
    update conversations set ${summaries.set}, received_at = greatest(conversations.received_at, ${receivedAt}::bigint),
      cost = m.cost, unpriced_call_count = coalesce(m.unpriced, 0)
    from ${summaries.rows}
    left join (
      select conversation_id, sum(cost_total) as cost, count(*) filter (where cost_total is null)::int as unpriced
      from model_calls where project_id = ${projectId} and conversation_id = any(${textArray(ids)})
      group by conversation_id
    ) m on m.conversation_id = t.id
    where conversations.project_id = ${projectId} and ${summaries.matches} and conversations.id = any(${textArray(ids)})`;
}

type ChangedSearch = {
  of: string;
  memo: RowMemo;
  row: { conversation_id: string; started_at: number; terms: string[] };
};
type WrittenSearch = { conversation_id: string; version: string };

/** Returns the search rows that may differ from what is stored, omitting those that are still as this process wrote them. */
function changedSearch(conversations: readonly Described[], stored: StoredRows): ChangedSearch[] {
  const changed = [];
  for (const { id, labels, traits, assembled, memo } of conversations) {
    const { words, symbols } = memo.words.of(assembled.messages.filter((message) => message.role !== "system"));
    const startedAt = Math.floor(assembled.startedAt);
    const others = { models: modelsOf(assembled), labels, userId: assembled.userId, traits };
    const of = JSON.stringify([startedAt, others, memo.words.version]);
    if (memo.search?.of === of && memo.search.version === stored.search.get(id)) continue;
    const row = { conversation_id: id, started_at: startedAt, terms: [...words, ...symbols, ...termsOf(others)] };
    changed.push({ of, memo, row });
  }
  return changed;
}

function* searchWrites(projectId: string, changed: readonly ChangedSearch[]) {
  const rows = changed.map(({ row }) => row);
  const inserts = insertsOf(conversationSearch, {
    same: { project_id: projectId },
    rows,
    onConflict: { changedOnly: true },
  });
  for (const insert of inserts) yield sql`${insert} returning conversation_id, xmin::text as version`;
}

/** Remembers the versions of search rows; a row that was not written still has its stored version. */
function rememberSearch(changed: readonly ChangedSearch[], stored: StoredRows, written: readonly WrittenSearch[]) {
  const versions = new Map(written.map((row) => [row.conversation_id, row.version]));
  for (const { of, memo, row } of changed) {
    const version = versions.get(row.conversation_id) ?? stored.search.get(row.conversation_id);
    memo.search = version === undefined ? null : { of, version };
  }
}

/** Longer than any model name, shorter than the limit of an index entry. */
const MODEL_CHARACTERS = 500;

const modelsOf = ({ modelCalls }: AssembledConversation) => {
  const names = modelCalls.flatMap((call) => call.responseModel ?? call.requestedModel ?? []);
  return [...new Set(names.map((name) => cut(name, MODEL_CHARACTERS)))].sort();
};

/** Usage detail names summed per conversation: clients invent names without limit. */
const DETAILS_MAX = 200;

function sumUsage(calls: readonly UnpricedModelCall[]) {
  const sums: Record<string, number> = Object.create(null);
  for (const { usage } of calls) {
    for (const [name, count] of Object.entries(usage ?? {})) sums[name] = (sums[name] ?? 0) + count;
  }
  const details = Object.keys(sums).filter((name) => !isOfKnownBucket(name));
  for (const name of details.sort().slice(DETAILS_MAX)) delete sums[name];
  // Seconds are fractions: rounding removes binary floating-point error from the sum.
  for (const name in sums) sums[name] = Number(sums[name]!.toPrecision(15));
  return sums;
}

const textOf = (message: Message) => message.parts.map((part) => part.text ?? "").join("");

function previewOf(messages: readonly Message[]) {
  const first = messages.find(isByUser) ?? messages.find((message) => message.role !== "system");
  const text = first && textOf(first).replace(/\s+/g, " ").trim();
  return text ? cut(text, PREVIEW_CHARACTERS) : null;
}

/** Cuts text without splitting a surrogate pair, which Postgres would reject. */
const cut = (text: string, length: number) =>
  text
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
