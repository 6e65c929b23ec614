import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import type { ProjectId } from "@/server/platform/context";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { transact } from "@/server/platform/transact";
import { priceBookOf } from "@/server/services/pricing";
import { adoptStrays } from "./adopt-strays";
import { type ClaimedTraces, claimTraces } from "./claim-traces";
import { createStatisticsKeeper } from "./keep-statistics";
import { loadLogs, loadSpans } from "./load-spans";
import { createAssembler, IdentityFold } from "./otlp";
import type { LogRecord, SpanRecord } from "./otlp/types";
import { placeTraces } from "./place-traces";
import { type ProjectedConversation, writeConversations } from "./project-conversations";
import { textArray } from "./rows";
import { withoutDeletedTraces } from "./tombstones";

/** How long an idle projector waits: far below the two seconds within which a batch is promised to be readable. */
const IDLE_MS = 200;
const AFTER_FAULT_MS = 1000;
/** Spans kept from the first reading (who is it?) for the second (what was said?); more are read twice. */
const SPANS_KEPT = 5_000;
/** Traces that the log was told about and need not hear of again. */
const REPORTED_MAX = 1000;

/** Rebuilds conversations from arriving spans until told to stop. Any number may run, in any number of processes. */
export async function runProjector({ signal }: { signal: AbortSignal }) {
  const keepStatistics = createStatisticsKeeper();
  const reported = new Set<string>();
  let faults = 0;
  let careful = false;
  while (!signal.aborted) {
    try {
      const { taken, setAside }: Pass = careful ? await projectCarefully(db()) : await projectAtOnce(db());
      faults = 0;
      careful = setAside.length > 0;
      for (const trace of setAside) reportOnce(reported, trace);
      if (taken > setAside.length) await keepStatistics(db());
      else await pause(careful ? AFTER_FAULT_MS : IDLE_MS, signal);
    } catch (error) {
      if (faults++ === 0)
        logger("projector").error({ err: loggable(error) }, "Rebuilding conversations failed; trying again.");
      careful = true;
      await pause(AFTER_FAULT_MS, signal);
    }
  }
}

/** One pass: takes waiting traces, rebuilds their conversations, all in one transaction. Answers how many traces. */
export const projectPending = async (database: Db): Promise<number> => (await projectAtOnce(database)).taken;

type Pass = { taken: number; setAside: SetAside[] };
/** A trace whose conversation could not be rebuilt. */
type SetAside = { projectId: string; traceId: string; error: unknown };

const countOf = (claimed: readonly ClaimedTraces[]) => claimed.reduce((sum, claim) => sum + claim.traceIds.length, 0);

async function projectAtOnce(database: Db): Promise<Pass> {
  return transact(database, async (tx) => {
    const claimed = await claimTraces(tx);
    for (const claim of claimed) await projectClaimed(tx, claim);
    return { taken: countOf(claimed), setAside: [] };
  });
}

/**
 * A pass for after one failed: what cannot be rebuilt goes to the end of the queue and is tried again, so that a trace that
 * our code cannot read keeps nobody else's conversations waiting.
 */
export async function projectCarefully(database: Db): Promise<Pass> {
  return database.transaction(async (tx) => {
    const claimed = await claimTraces(tx);
    const setAside: SetAside[] = [];
    for (const claim of claimed) setAside.push(...(await projectOrSetAside(tx, claim)));
    return { taken: countOf(claimed), setAside };
  });
}

/** Halves what fails until the traces that do it stand alone. */
async function projectOrSetAside(tx: Db, claim: ClaimedTraces): Promise<SetAside[]> {
  try {
    await tx.transaction((step) => projectClaimed(step, claim));
    return [];
  } catch (error) {
    const { projectId, traceIds, receivedAt } = claim;
    const [traceId, ...others] = traceIds;
    if (traceId !== undefined && others.length === 0) {
      await tx.execute(sql`
        insert into projection_queue (project_id, trace_id, received_at) values (${projectId}, ${traceId}, ${receivedAt})`);
      return [{ projectId, traceId, error }];
    }
    const middle = Math.ceil(traceIds.length / 2);
    const first = await projectOrSetAside(tx, { ...claim, traceIds: traceIds.slice(0, middle) });
    return [...first, ...(await projectOrSetAside(tx, { ...claim, traceIds: traceIds.slice(middle) }))];
  }
}

/** It is tried again and again; the log hears of it once. */
function reportOnce(reported: Set<string>, { projectId, traceId, error }: SetAside) {
  const key = `${projectId} ${traceId}`;
  if (reported.has(key)) return;
  if (reported.size >= REPORTED_MAX) reported.clear();
  reported.add(key);
  logger("projector").error(
    { err: loggable(error), projectId, traceId },
    "A trace could not be rebuilt; trying again, after the others.",
  );
}

async function projectClaimed(tx: Db, { projectId, traceIds: claimed, receivedAt }: ClaimedTraces) {
  // Locked before they are read: of two projectors on one trace the second sees all that the first saw.
  await tx.execute(sql`
    select 1 from traces where project_id = ${projectId} and id = any(${textArray(claimed)}) order by id for no key update`);
  const traceIds = await withoutDeletedTraces(tx, projectId, claimed);

  const first = await readTraces(tx, projectId, traceIds);
  // Log records may come before their spans: until then there is nothing to place.
  if (first.identities.size === 0) return;
  const conversationIds = await placeTraces(tx, projectId, first.identities, receivedAt);
  const { responseIds } = await rebuild(tx, projectId, conversationIds, receivedAt, first);
  const hosts = await adoptStrays(tx, projectId, responseIds);
  if (hosts.length > 0) await rebuild(tx, projectId, hosts, receivedAt);
}

/** Puts conversations together from all spans of their traces, those in `read` without reading them again. */
async function rebuild(tx: Db, projectId: string, conversationIds: string[], receivedAt: number, read?: ReadTraces) {
  const members = await tx.execute<{ id: string; conversation_id: string }>(sql`
    select id, conversation_id from traces
    where project_id = ${projectId} and conversation_id = any(${textArray(conversationIds)}) order by id`);

  const assemblers = new Map(conversationIds.map((id) => [id, createAssembler()]));
  const conversationOf = new Map([...members].map((row) => [row.id, row.conversation_id]));
  const add = (span: SpanRecord, logs: readonly LogRecord[]) =>
    assemblers.get(conversationOf.get(span.traceId) ?? "")?.add(span, [...logs]);

  for (const { span, logs } of read?.kept ?? []) add(span, logs);
  const unread = [...members].map((row) => row.id).filter((id) => !read?.keptTraces.has(id));
  if (unread.length > 0) {
    const logsOf = groupLogs(await loadLogs(tx, projectId, unread));
    for await (const page of loadSpans(tx, projectId, unread)) {
      for (const span of page) add(span, logsOf(span));
    }
  }

  const projected: ProjectedConversation[] = conversationIds.map((id) => ({
    id,
    traceIds: [...members].filter((row) => row.conversation_id === id).map((row) => row.id),
    assembled: assemblers.get(id)!.finish(),
  }));
  const book = await priceBookOf({ db: tx, projectId: projectId as ProjectId });
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
    if (kept && kept.length > SPANS_KEPT) kept = null;
  }
  for (const record of logs) folds.get(record.traceId ?? "")?.addLog(record);

  const identities = new Map([...folds].map(([traceId, fold]) => [traceId, fold.identity()]));
  return { identities, kept: kept ?? [], keptTraces: new Set(kept ? traceIds : []) };
}

function groupLogs(logs: readonly LogRecord[]) {
  const bySpan = new Map<string, LogRecord[]>();
  for (const record of logs) {
    const key = `${record.traceId} ${record.spanId}`;
    const group = bySpan.get(key);
    if (group) group.push(record);
    else bySpan.set(key, [record]);
  }
  return (span: SpanRecord) => bySpan.get(`${span.traceId} ${span.spanId}`) ?? [];
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });

/** For `/readyz`: how long the oldest waiting trace has waited, in milliseconds; 0 when none does. */
export async function projectionLag(database: Db, now = Date.now()): Promise<number> {
  const [row] = await database.execute<{ received_at: string | null }>(
    sql`select received_at from projection_queue order by id limit 1`,
  );
  return row?.received_at ? Math.max(0, now - Number(row.received_at)) : 0;
}
