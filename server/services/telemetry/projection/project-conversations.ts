import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { rowsOf, textArray } from "@/db/rows";
import {
  conversationMessages,
  conversationSearch,
  conversations as conversationTable,
  modelCalls,
  toolCalls,
} from "@/db/schema";
import { insertRows, updateOf } from "@/db/sets";
import { type PriceBook, priceCall } from "@/server/services/pricing";
import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import { allLabels, ownLabelsOf } from "../conversations/own-labels";
import { attachFeedback, writeSentFeedback } from "../feedback";
import type { AssembledConversation, UnpricedModelCall } from "../otlp/types";
import type { Message } from "../schemas";
import { termsOf } from "../search/search-terms";

/** Characters of the first user message that lists show. */
const PREVIEW_CHARACTERS = 280;

export type ProjectedConversation = { id: string; traceIds: string[]; assembled: AssembledConversation };
/** With the client's labels and people's labels combined. */
type Labelled = ProjectedConversation & { labels: string[] };

const digestOf = (row: object) => createHash("sha1").update(JSON.stringify(row)).digest("base64url");
const withDigest = <Row extends object>(row: Row) => ({ ...row, digest: digestOf(row) });

/**
 * Writes rebuilt conversations. Only changed rows are written: appending a message to a long conversation writes one row, and
 * an unchanged model call keeps its stored cost. Returns the response ids of all calls.
 */
export async function writeConversations(
  tx: Db,
  projectId: string,
  book: PriceBook,
  projected: readonly ProjectedConversation[],
  receivedAt: number,
) {
  const ids = projected.map((conversation) => conversation.id);
  const own = await ownLabelsOf(tx, projectId, ids);
  const conversations: Labelled[] = projected.map((conversation) => ({
    ...conversation,
    labels: allLabels(conversation.assembled.labels, own.get(conversation.id) ?? []),
  }));
  await writeMessages(tx, projectId, ids, conversations);
  await writeToolCalls(tx, projectId, ids, conversations);
  const responseIds = await writeModelCalls(tx, projectId, ids, conversations, book);
  await writeSummaries(tx, projectId, ids, conversations, receivedAt);
  await writeSearch(tx, projectId, conversations);
  await attachFeedback(tx, projectId, ids);
  await writeSentFeedback(
    tx,
    projectId,
    conversations.map(({ id, assembled }) => ({ id, feedback: assembled.feedback })),
  );
  return { responseIds };
}

/**
 * Digests of the rows of messages, by the parts of the message: a cached reading has one array of parts for each distinct
 * message and returns it again in every pass, so that a pass need not digest what it digested before.
 */
const messageDigests = new WeakMap<Message["parts"], { of: string; digest: string }>();

async function writeMessages(
  tx: Db,
  projectId: string,
  ids: string[],
  conversations: readonly ProjectedConversation[],
) {
  const stored = await tx.execute<{ conversation_id: string; position: number; digest: string }>(sql`
    select conversation_id, position, digest from conversation_messages
    where project_id = ${projectId} and conversation_id = any(${textArray(ids)})`);
  const known = new Map([...stored].map((row) => [`${row.conversation_id} ${row.position}`, row.digest]));

  const changed = [];
  for (const { id, assembled } of conversations) {
    for (const [position, message] of assembled.messages.entries()) {
      const key = `${id} ${position}`;
      const stored = known.get(key);
      known.delete(key);
      // With the parts this says all that is in the row: role, calls and call id belong to the same message as the parts.
      const of = `${key} ${message.spanId} ${message.at}`;
      const memoized = messageDigests.get(message.parts);
      if (memoized?.of === of && memoized.digest === stored) continue;
      const row = withDigest({
        conversation_id: id,
        position,
        role: message.role,
        parts: message.parts,
        tool_calls: message.toolCalls,
        tool_call_id: message.toolCallId,
        span_id: message.spanId,
        at: message.at === null ? null : Math.floor(message.at),
      });
      messageDigests.set(message.parts, { of, digest: row.digest });
      if (row.digest !== stored) changed.push(row);
    }
  }

  if (known.size > 0) {
    await tx.execute(sql`
      delete from conversation_messages m
      using ${rowsOf(
        conversations.map(({ id, assembled }) => ({ id, length: assembled.messages.length })),
        "id text, length int",
      )}
      where m.project_id = ${projectId} and m.conversation_id = t.id and m.position >= t.length`);
  }
  await insertRows(tx, conversationMessages, { same: { project_id: projectId }, rows: changed, onConflict: {} });
}

async function writeToolCalls(
  tx: Db,
  projectId: string,
  ids: string[],
  conversations: readonly ProjectedConversation[],
) {
  const stored = await tx.execute<{ trace_id: string; span_id: string; digest: string }>(sql`
    select trace_id, span_id, digest from tool_calls
    where project_id = ${projectId} and conversation_id = any(${textArray(ids)})`);
  const known = new Map([...stored].map((row) => [`${row.trace_id} ${row.span_id}`, row.digest]));

  const changed = [];
  for (const { id, assembled } of conversations) {
    for (const call of assembled.toolCalls) {
      const row = withDigest({
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
      });
      const key = `${call.traceId} ${call.spanId}`;
      if (known.get(key) !== row.digest) changed.push(row);
      known.delete(key);
    }
  }

  await deleteCalls(tx, "tool_calls", projectId, known.keys());
  await insertRows(tx, toolCalls, { same: { project_id: projectId }, rows: changed, onConflict: {} });
}

type StoredCall = {
  trace_id: string;
  span_id: string;
  digest: string;
  labels: string[];
  priced_by: string;
  cost_total: string | null;
  cost: object | null;
};

const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The inputs of a call's price, apart from the price book: while they are unchanged, so is the cost. */
const pricedBy = (call: UnpricedModelCall) =>
  JSON.stringify([call.provider, call.requestedModel, call.responseModel, Object.entries(call.usage ?? {}).sort()]);

async function writeModelCalls(
  tx: Db,
  projectId: string,
  ids: string[],
  conversations: readonly Labelled[],
  book: PriceBook,
) {
  const calls = conversations.flatMap(({ id, labels, assembled }) =>
    assembled.modelCalls.map((call) => ({ id, labels, call })),
  );
  const traceIds = [...new Set(calls.map(({ call }) => call.traceId))];
  // By conversation and by trace: a call whose trace just moved here is still under its old conversation.
  const stored = await tx.execute<StoredCall>(sql`
    select trace_id, span_id, digest, labels, cost_total, cost,
           json_build_array(provider, requested_model, response_model, usage)::text as priced_by
    from model_calls
    where project_id = ${projectId}
      and (conversation_id = any(${textArray(ids)}) or trace_id = any(${textArray(traceIds)}))`);
  const known = new Map([...stored].map((row) => [`${row.trace_id} ${row.span_id}`, row]));

  const changed = [];
  for (const { id, labels, call } of calls) {
    const key = `${call.traceId} ${call.spanId}`;
    const before = known.get(key);
    known.delete(key);
    const row = withDigest({
      trace_id: call.traceId,
      span_id: call.spanId,
      conversation_id: id,
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
      reported_cost: call.reportedCost,
    });
    // Not part of the digest: people change labels without a rebuild.
    if (before?.digest === row.digest && sameList(before.labels, labels)) continue;
    changed.push({ ...row, labels, ...costOf(call, before, book) });
  }

  await deleteCalls(tx, "model_calls", projectId, known.keys());
  await insertRows(tx, modelCalls, { same: { project_id: projectId }, rows: changed, onConflict: {} });
  return [...new Set(calls.flatMap(({ call }) => indexable(call.responseId) ?? []))];
}

/** No provider's ids are longer, and index entries are limited in size. */
const RESPONSE_ID_MAX = 300;
const indexable = (id: string | null) => (id !== null && id.length <= RESPONSE_ID_MAX ? id : null);

function costOf(call: UnpricedModelCall, before: StoredCall | undefined, book: PriceBook) {
  // Also if no price was known: prices added later apply to later calls, and to earlier ones only by repricing.
  if (before && samePricing(before.priced_by, call)) return { cost_total: before.cost_total, cost: before.cost };
  const { cost, totalDecimal } = priceCall(book, { ...call, at: call.startedAt });
  return { cost_total: totalDecimal, cost };
}

const samePricing = (stored: string, call: UnpricedModelCall) => {
  const [provider, requestedModel, responseModel, usage] = JSON.parse(stored);
  return pricedBy(call) === pricedBy({ ...call, provider, requestedModel, responseModel, usage });
};

async function deleteCalls(tx: Db, table: "tool_calls" | "model_calls", projectId: string, keys: Iterable<string>) {
  const gone = [...keys].map((key) => ({ trace_id: key.split(" ")[0], span_id: key.split(" ")[1] }));
  if (gone.length === 0) return;
  await tx.execute(sql`
    delete from ${sql.raw(table)} c using ${rowsOf(gone, "trace_id text, span_id text")}
    where c.project_id = ${projectId} and c.trace_id = t.trace_id and c.span_id = t.span_id`);
}

async function writeSummaries(
  tx: Db,
  projectId: string,
  ids: string[],
  conversations: readonly Labelled[],
  receivedAt: number,
) {
  const rows = conversations.map(({ id, traceIds, labels, assembled }) => ({
    id,
    trace_ids: traceIds,
    user_id: assembled.userId,
    models: modelsOf(assembled),
    sent_labels: assembled.labels,
    labels,
    started_at: Math.floor(assembled.startedAt),
    last_activity_at: Math.floor(assembled.lastActivityAt),
    message_count: assembled.messages.length,
    model_call_count: assembled.modelCalls.length,
    tool_call_count: assembled.toolCallCount,
    error_count: assembled.errorCount,
    usage: sumUsage(assembled.modelCalls),
    preview: previewOf(assembled.messages),
  }));
  if (rows.length === 0) return;
  const summaries = updateOf(conversationTable, rows);
  // The database sums costs, as decimals.
  await tx.execute(sql`
    update conversations set ${summaries.set}, received_at = greatest(conversations.received_at, ${receivedAt}::bigint),
      cost = m.cost, unpriced_call_count = coalesce(m.unpriced, 0)
    from ${summaries.rows}
    left join (
      select conversation_id, sum(cost_total) as cost, count(*) filter (where cost_total is null)::int as unpriced
      from model_calls where project_id = ${projectId} and conversation_id = any(${textArray(ids)})
      group by conversation_id
    ) m on m.conversation_id = t.id
    where conversations.project_id = ${projectId} and ${summaries.matches} and conversations.id = any(${textArray(ids)})`);
}

async function writeSearch(tx: Db, projectId: string, conversations: readonly Labelled[]) {
  const rows = conversations.map(({ id, labels, assembled }) => ({
    conversation_id: id,
    started_at: Math.floor(assembled.startedAt),
    terms: termsOf({
      texts: assembled.messages.filter((message) => message.role !== "system").map(textOf),
      models: modelsOf(assembled),
      labels,
      userId: assembled.userId,
    }),
  }));
  await insertRows(tx, conversationSearch, {
    same: { project_id: projectId },
    rows,
    onConflict: { changedOnly: true },
  });
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
  const first =
    messages.find((message) => message.role === "user") ?? messages.find((message) => message.role !== "system");
  const text = first && textOf(first).replace(/\s+/g, " ").trim();
  return text ? cut(text, PREVIEW_CHARACTERS) : null;
}

/** Cuts text without splitting a surrogate pair, which Postgres would reject. */
const cut = (text: string, length: number) =>
  text
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
