import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import type { ProjectId } from "@/server/platform/context";
import { currentPriceBook } from "@/server/services/pricing";
import type { ClaimedTraces } from "../ingest/claim-traces";
import { placeTraces } from "../ingest/place-traces";
import { withoutDeletedTraces } from "../ingest/tombstones";
import { createAssembler, IdentityFold } from "../otlp";
import type { LogRecord, SpanRecord } from "../otlp/types";
import { loadLogs, loadSpans } from "./load-spans";
import { moveDuplicateTraces } from "./move-duplicate-traces";
import { type ProjectedConversation, writeConversations } from "./project-conversations";

/** Spans buffered between the first pass (identity) and the second (content); beyond that, spans are read twice. */
const MAX_BUFFERED_SPANS = 5_000;

/** The response ids of the calls in a project's rebuilt conversations. */
export type Rebuilt = { projectId: string; receivedAt: number; responseIds: readonly string[] };

/** Rebuilds the conversations of dequeued traces. */
export async function rebuildTraces(
  tx: Db,
  { projectId, traceIds: claimed, receivedAt }: ClaimedTraces,
): Promise<Rebuilt> {
  // Locked before reading: of two projectors on one trace, the second sees everything that the first saw.
  await tx.execute(sql`
    select 1 from traces where project_id = ${projectId} and id = any(${textArray(claimed)}) order by id for no key update`);
  const traceIds = await withoutDeletedTraces(tx, projectId, claimed);

  const first = await readTraces(tx, projectId, traceIds);
  // Log records may arrive before their spans: until then there is nothing to place.
  if (first.identities.size === 0) return { projectId, receivedAt, responseIds: [] };
  const conversationIds = await placeTraces(tx, projectId, first.identities, receivedAt);
  const { responseIds } = await rebuild(tx, projectId, conversationIds, receivedAt, first);
  return { projectId, receivedAt, responseIds };
}

/**
 * Merges duplicate traces into the conversations that were just rebuilt. Call last in the transaction: a lock admits one
 * projector per project at a time, so that of two that rebuilt one half of a pair each, the second sees the first's commit.
 */
export async function mergeDuplicateTraces(tx: Db, { projectId, receivedAt, responseIds }: Rebuilt): Promise<void> {
  if (responseIds.length === 0) return;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`duplicate traces ${projectId}`}, 0))`);
  const hosts = await moveDuplicateTraces(tx, projectId, responseIds);
  if (hosts.length > 0) await rebuild(tx, projectId, hosts, receivedAt);
}

/** Assembles conversations from all spans of their traces, reusing those buffered in `read`. */
async function rebuild(tx: Db, projectId: string, conversationIds: string[], receivedAt: number, read?: ReadTraces) {
  const members = await tx.execute<{ id: string; conversation_id: string }>(sql`
    select id, conversation_id from traces
    where project_id = ${projectId} and conversation_id = any(${textArray(conversationIds)}) order by id`);

  const assemblers = new Map(conversationIds.map((id) => [id, createAssembler()]));
  const conversationOf = new Map([...members].map((row) => [row.id, row.conversation_id]));
  const startOf = new Map<string, number>();
  const add = (span: SpanRecord, logs: readonly LogRecord[]) => {
    startOf.set(span.traceId, Math.min(startOf.get(span.traceId) ?? Number.POSITIVE_INFINITY, span.startedUs));
    assemblers.get(conversationOf.get(span.traceId) ?? "")?.add(span, [...logs]);
  };

  for (const { span, logs } of read?.buffered ?? []) add(span, logs);
  const unread = [...members].map((row) => row.id).filter((id) => !read?.bufferedTraces.has(id));
  if (unread.length > 0) {
    const logsOf = groupLogs(await loadLogs(tx, projectId, unread));
    for await (const page of loadSpans(tx, projectId, unread)) {
      for (const span of page) add(span, logsOf(span));
    }
  }

  // By start time; the sort is stable, so ties keep the database's order by id.
  const inOrder = [...members].sort((a, b) => (startOf.get(a.id) ?? 0) - (startOf.get(b.id) ?? 0));
  const projected: ProjectedConversation[] = conversationIds.map((id) => ({
    id,
    traceIds: inOrder.filter((row) => row.conversation_id === id).map((row) => row.id),
    assembled: assemblers.get(id)!.finish(),
  }));
  const book = await currentPriceBook({ db: tx, projectId: projectId as ProjectId });
  return writeConversations(tx, projectId, book, projected, receivedAt);
}

type ReadTraces = Awaited<ReturnType<typeof readTraces>>;

/** Reads the identities of traces, and buffers their spans while there are few, so that they need not be read twice. */
async function readTraces(tx: Db, projectId: string, traceIds: readonly string[]) {
  const logs = await loadLogs(tx, projectId, traceIds);
  const logsOf = groupLogs(logs);
  const folds = new Map<string, IdentityFold>();
  let buffered: { span: SpanRecord; logs: readonly LogRecord[] }[] | null = [];
  for await (const page of loadSpans(tx, projectId, traceIds)) {
    for (const span of page) {
      let fold = folds.get(span.traceId);
      if (!fold) {
        fold = new IdentityFold();
        folds.set(span.traceId, fold);
      }
      fold.addSpan(span);
      buffered?.push({ span, logs: logsOf(span) });
    }
    if (buffered && buffered.length > MAX_BUFFERED_SPANS) buffered = null;
  }
  for (const record of logs) folds.get(record.traceId ?? "")?.addLog(record);

  const identities = new Map([...folds].map(([traceId, fold]) => [traceId, fold.identity()]));
  return { identities, buffered: buffered ?? [], bufferedTraces: new Set(buffered ? traceIds : []) };
}

/** Returns a lookup of a span's log records, in their order. */
export function groupLogs(logs: readonly LogRecord[]) {
  const bySpan = new Map<string, LogRecord[]>();
  for (const record of logs) {
    const key = `${record.traceId} ${record.spanId}`;
    const group = bySpan.get(key);
    if (group) group.push(record);
    else bySpan.set(key, [record]);
  }
  return (span: SpanRecord) => bySpan.get(`${span.traceId} ${span.spanId}`) ?? [];
}
