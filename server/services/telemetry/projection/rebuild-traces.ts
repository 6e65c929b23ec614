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

/** Spans kept from the first reading (who is it?) for the second (what was said?); more are read twice. */
const MAX_BUFFERED_SPANS = 5_000;

/** A project's conversations that were rebuilt, by the response ids of their calls. */
export type Rebuilt = { projectId: string; receivedAt: number; responseIds: readonly string[] };

/** Rebuilds the conversations of traces that were taken from the queue. */
export async function rebuildTraces(
  tx: Db,
  { projectId, traceIds: claimed, receivedAt }: ClaimedTraces,
): Promise<Rebuilt> {
  // Locked before they are read: of two projectors on one trace the second sees all that the first saw.
  await tx.execute(sql`
    select 1 from traces where project_id = ${projectId} and id = any(${textArray(claimed)}) order by id for no key update`);
  const traceIds = await withoutDeletedTraces(tx, projectId, claimed);

  const first = await readTraces(tx, projectId, traceIds);
  // Log records may come before their spans: until then there is nothing to place.
  if (first.identities.size === 0) return { projectId, receivedAt, responseIds: [] };
  const conversationIds = await placeTraces(tx, projectId, first.identities, receivedAt);
  const { responseIds } = await rebuild(tx, projectId, conversationIds, receivedAt, first);
  return { projectId, receivedAt, responseIds };
}

/**
 * Lets conversations that were just rebuilt take in the strays among them. Last in the transaction, one projector of a
 * project at a time: of two that rebuilt one half of a pair each, the second looks when the first has committed.
 */
export async function mergeDuplicateTraces(tx: Db, { projectId, receivedAt, responseIds }: Rebuilt): Promise<void> {
  if (responseIds.length === 0) return;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`duplicate traces ${projectId}`}, 0))`);
  const hosts = await moveDuplicateTraces(tx, projectId, responseIds);
  if (hosts.length > 0) await rebuild(tx, projectId, hosts, receivedAt);
}

/** Puts conversations together from all spans of their traces, those in `read` without reading them again. */
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

  for (const { span, logs } of read?.kept ?? []) add(span, logs);
  const unread = [...members].map((row) => row.id).filter((id) => !read?.keptTraces.has(id));
  if (unread.length > 0) {
    const logsOf = groupLogs(await loadLogs(tx, projectId, unread));
    for await (const page of loadSpans(tx, projectId, unread)) {
      for (const span of page) add(span, logsOf(span));
    }
  }

  // In order of time; the ids, by which they came from the database, decide between those of one time.
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

/** Whose are these traces? Keeps the spans while they are few, so that they need not be read again. */
async function readTraces(tx: Db, projectId: string, traceIds: readonly string[]) {
  const logs = await loadLogs(tx, projectId, traceIds);
  const logsOf = groupLogs(logs);
  const folds = new Map<string, IdentityFold>();
  let kept: { span: SpanRecord; logs: readonly LogRecord[] }[] | null = [];
  for await (const page of loadSpans(tx, projectId, traceIds)) {
    for (const span of page) {
      let fold = folds.get(span.traceId);
      if (!fold) {
        fold = new IdentityFold();
        folds.set(span.traceId, fold);
      }
      fold.addSpan(span);
      kept?.push({ span, logs: logsOf(span) });
    }
    if (kept && kept.length > MAX_BUFFERED_SPANS) kept = null;
  }
  for (const record of logs) folds.get(record.traceId ?? "")?.addLog(record);

  const identities = new Map([...folds].map(([traceId, fold]) => [traceId, fold.identity()]));
  return { identities, kept: kept ?? [], keptTraces: new Set(kept ? traceIds : []) };
}

/** Returns what finds the log records of a span among those of its trace, in their order. */
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
