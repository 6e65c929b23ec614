import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import type { ClaimedTraces } from "../ingest/claim-traces";
import { loadPlacements, placeTraces } from "../ingest/place-traces";
import { withoutDeletedTraces } from "../ingest/tombstones";
import { IdentityFold } from "../otlp";
import { loadKeys, type TraceKeys } from "./load-spans";
import { moveDuplicateTraces } from "./move-duplicate-traces";
import { type ProjectedConversation, type WrittenCalls, writeConversations } from "./project-conversations";
import { type Missing, missingIn, readMissing, type StoredLog } from "./read-missing";
import { Reading, type ReadSpan, type TraceReading } from "./reading";
import type { CachePass } from "./reading-cache";

/** Spans buffered between the first pass (identity) and the second (content); beyond that, spans are read twice. */
const MAX_BUFFERED_SPANS = 5_000;

/** The calls in a project's rebuilt conversations. */
export type Rebuilt = WrittenCalls & { projectId: string; receivedAt: number };

/** Rebuilds the conversations of dequeued traces, from scratch unless there is a `cache`. */
export async function rebuildTraces(
  tx: Db,
  { projectId, traceIds: claimed, receivedAt }: ClaimedTraces,
  cache?: CachePass,
): Promise<Rebuilt> {
  // Locked before reading: of two projectors on one trace, the second sees everything that the first saw.
  await tx.execute(sql`
    select 1 from traces where project_id = ${projectId} and id = any(${textArray(claimed)}) order by id for no key update`);
  const [traceIds, placements, keys] = await Promise.all([
    withoutDeletedTraces(tx, projectId, claimed),
    loadPlacements(tx, projectId, claimed),
    loadKeys(tx, projectId, claimed),
  ]);
  const here = new Set(traceIds);
  for (const traceId of keys.keys()) if (!here.has(traceId)) keys.delete(traceId);

  const conversationOf = new Map(placements.map((trace) => [trace.id, trace.conversation_id]));
  const first = await readTraces(tx, projectId, keys, (traceId) => {
    const conversationId = conversationOf.get(traceId);
    return conversationId ? cache?.peek(projectId, conversationId)?.traces.get(traceId) : undefined;
  });
  // Log records may arrive before their spans: until then there is nothing to place.
  if (first.identities.size === 0) return { projectId, receivedAt, responseIds: [], changedResponseIds: [] };
  const placed = await placeTraces(tx, projectId, placements, first.identities, receivedAt);
  return { projectId, receivedAt, ...(await rebuild(tx, projectId, placed, receivedAt, cache, first)) };
}

/**
 * Merges duplicate traces into the conversations that were just rebuilt. Call last in the transaction. Only calls that have
 * changed can have become half of a pair; `of: "all"` also finds pairs that an earlier pass could not merge.
 */
export async function mergeDuplicateTraces(
  tx: Db,
  { projectId, receivedAt, ...calls }: Rebuilt,
  { of, cache }: { of: "changed" | "all"; cache?: CachePass | undefined },
): Promise<void> {
  const responseIds = of === "all" ? calls.responseIds : calls.changedResponseIds;
  const hosts = await moveDuplicateTraces(tx, projectId, responseIds);
  if (hosts.length === 0) return;
  await rebuild(tx, projectId, { conversationIds: hosts, empty: new Set() }, receivedAt, cache);
}

/** Assembles conversations from all spans of their traces, loading those that neither the cache nor `read` has. */
async function rebuild(
  tx: Db,
  projectId: string,
  { conversationIds, empty }: Awaited<ReturnType<typeof placeTraces>>,
  receivedAt: number,
  cache?: CachePass,
  read?: ReadTraces,
) {
  const members = await tx.execute<{ id: string; conversation_id: string; own_labels: string[] }>(sql`
    select t.id, t.conversation_id, c.own_labels
    from traces t join conversations c on c.project_id = t.project_id and c.id = t.conversation_id
    where t.project_id = ${projectId} and t.conversation_id = any(${textArray(conversationIds)}) order by t.id`);
  const ownLabels = new Map([...members].map((row) => [row.conversation_id, row.own_labels]));
  const others = [...members].map((row) => row.id).filter((id) => !read?.traceIds.has(id));
  const keys = new Map([...(read?.keys ?? []), ...(await loadKeys(tx, projectId, others))]);

  const tracesOf = new Map(conversationIds.map((id): [string, string[]] => [id, []]));
  for (const row of members) tracesOf.get(row.conversation_id)?.push(row.id);
  const readings = new Map<string, { reading: Reading; again: boolean }>();
  for (const [id, traceIds] of tracesOf) {
    const cached = cache?.take(projectId, id);
    const again = cached?.agreesWith(traceIds, keys) ?? false;
    readings.set(id, { reading: again && cached ? cached : new Reading(), again });
  }
  const readingOf = new Map([...members].map((row) => [row.id, readings.get(row.conversation_id)?.reading]));
  await readInto(tx, projectId, (traceId) => readingOf.get(traceId), keys, read);

  const projected: ProjectedConversation[] = [...readings].map(([id, { reading }]) => ({
    id,
    // By start time; the sort is stable, so ties keep the database's order by id.
    traceIds: (tracesOf.get(id) ?? []).sort((a, b) => reading.startOf(a) - reading.startOf(b)),
    ownLabels: ownLabels.get(id) ?? [],
    assembled: reading.finish(),
    memo: reading.rows,
    isEmpty: empty.has(id),
  }));
  const written = await writeConversations(tx, projectId, projected, receivedAt);
  for (const [id, { reading, again }] of readings) cache?.put(projectId, id, reading, again);
  return written;
}

/** Adds to readings what they lack, from `read` or else from the database. */
async function readInto(
  tx: Db,
  projectId: string,
  readingOf: (traceId: string) => Reading | undefined,
  keys: ReadonlyMap<string, TraceKeys>,
  read: ReadTraces | undefined,
) {
  const add = (one: ReadSpan) => readingOf(one.span.traceId)?.add(one, keys.get(one.span.traceId));
  const addLogs = (logs: Iterable<StoredLog>) => {
    for (const log of logs) readingOf(log.record.traceId ?? "")?.addLog(log);
  };
  const unread: Missing[] = [];
  for (const [traceId, stored] of keys) {
    const reading = readingOf(traceId);
    if (!reading) continue;
    const missing = missingIn(traceId, stored, reading.traces.get(traceId));
    const buffered = read?.buffered.get(traceId);
    for (const spanId of missing.spanIds) {
      const one = buffered?.spans.get(spanId);
      if (one) add(one);
    }
    addLogs(missing.logIds.flatMap((id) => buffered?.logs.get(id) ?? []));
    const rest = buffered ? withoutBuffered(missing, stored, buffered) : missing;
    if (rest.spanIds.length + rest.logIds.length > 0) unread.push(rest);
  }
  const { logs, pages } = await readMissing(tx, projectId, unread);
  addLogs(logs);
  for await (const page of pages) page.forEach(add);
}

type Buffered = { spans: Map<string, ReadSpan>; logs: Map<string, StoredLog> };

/** A span that is still to be read needs all its log records, buffered or not. */
function withoutBuffered(missing: Missing, stored: TraceKeys, buffered: Buffered): Missing {
  const spanIds = new Set(missing.spanIds.filter((id) => !buffered.spans.has(id)));
  const logIds = missing.logIds.filter((id) => !buffered.logs.has(id) || spanIds.has(stored.logs.get(id) ?? ""));
  return { ...missing, spanIds: [...spanIds], logIds };
}

type ReadTraces = Awaited<ReturnType<typeof readTraces>>;

/**
 * Reads the identities of traces, continuing from what has been read of them, and buffers their spans while there are few, so
 * that they need not be read twice.
 */
async function readTraces(
  tx: Db,
  projectId: string,
  keys: ReadonlyMap<string, TraceKeys>,
  cachedOf: (traceId: string) => TraceReading | undefined,
) {
  const missing: Missing[] = [];
  const folds = new Map<string, IdentityFold>();
  for (const [traceId, stored] of keys) {
    const cached = cachedOf(traceId);
    const reading = cached?.agreesWith(stored) ? cached : undefined;
    missing.push(missingIn(traceId, stored, reading));
    if (reading && reading.spans.size > 0) folds.set(traceId, reading.identity.copy());
  }
  const { logs, pages } = await readMissing(tx, projectId, missing);
  const buffered = new Map(
    missing.map(({ traceId }): [string, Buffered] => [traceId, { spans: new Map(), logs: new Map() }]),
  );
  let room = MAX_BUFFERED_SPANS;
  for await (const page of pages) {
    for (const one of page) {
      const { traceId, spanId } = one.span;
      let fold = folds.get(traceId);
      if (!fold) {
        fold = new IdentityFold();
        folds.set(traceId, fold);
      }
      fold.addSpan(one.span);
      buffered.get(traceId)?.spans.set(spanId, one);
    }
    room -= page.length;
    if (room < 0) for (const { spans } of buffered.values()) spans.clear();
  }
  for (const log of logs) {
    const traceId = log.record.traceId ?? "";
    folds.get(traceId)?.addLog(log.record);
    buffered.get(traceId)?.logs.set(log.id, log);
  }
  const identities = new Map([...folds].map(([traceId, fold]) => [traceId, fold.identity()]));
  return { identities, traceIds: new Set(keys.keys()), keys, buffered };
}
