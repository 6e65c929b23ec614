import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { gatewayCalls } from "@/db/schema";
import { rowsFor } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS, SECOND_MS } from "@/server/platform/durations";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { type decodeTraces, maskTraces } from "@/server/services/telemetry";

type Spans = ReturnType<typeof decodeTraces>;

/** What is written of a call while it is in progress. */
export type Progress = {
  traceId: string;
  /** Unix ms. */
  startedAt: number;
  /** The telemetry attributes of its request, which belong to the last span. */
  request: Promise<Spans["items"][number]["attributes"]>;
  /** Changes with each part of the answer. */
  length: () => number;
  /** Returns its spans as they are recorded if nothing more arrives. */
  spans: () => Spans;
};

type Entry = Progress & {
  ctx: Ctx;
  id: string;
  followedSince: number;
  /** Whether no row can be made of it. */
  isUnwritable: boolean;
  /** How often the database did not take its row, and when to try again. */
  failures: number;
  retryAt: number;
  /** Whether its row was stored. */
  isWritten: boolean;
  /** The statement that writes its row, if one was sent: whether it succeeded may be unknown. */
  writing: Promise<boolean> | null;
  /** Of the answer in the row. */
  writtenLength: number;
  renewedAt: number;
};

/** Calls that begin within this time are written together. Most errors, and many short answers, have ended by then. */
const WRITE_MS = 50;
const RENEW_MS = SECOND_MS;
/** How long a process may be silent, for instance while its machine is suspended, before its calls count as interrupted. */
const LEASE_MS = MINUTE_MS;
/** Longer than any call: its client left before its answer was read, and nothing else will end it. */
const FOLLOWED_MAX_MS = 45 * MINUTE_MS;
/** Of one statement; answers beyond it are written in the next turns, the ones longest unwritten first. */
const STATEMENT_CHARACTERS = 4 * 1024 * 1024;
const BACKOFF_MS = SECOND_MS;
const BACKOFF_MAX_MS = 10 * SECOND_MS;

export const LEASE_END = sql`${NOW} + ${LEASE_MS}::bigint`;

const holder = randomUUID();
const entries = new Map<string, Entry>();
let isRunning = false;
let renewedAt = 0;

const keyOf = ({ projectId }: Ctx, id: string) => `${projectId} ${id}`;
const isFollowed = (entry: Entry) => entries.get(keyOf(entry.ctx, entry.id)) === entry;

/**
 * Writes a call to the table of calls in progress, in the background, and renews it about once a second, until `endProgress`.
 * If it is known already, it goes on as this one.
 */
export function beginProgress(ctx: Ctx, id: string, progress: Progress): void {
  const known = entries.get(keyOf(ctx, id));
  if (known) return void Object.assign(known, progress, { writtenLength: -1 });
  entries.set(keyOf(ctx, id), {
    ...progress,
    ctx,
    id,
    followedSince: performance.now(),
    isUnwritable: false,
    failures: 0,
    retryAt: 0,
    isWritten: false,
    writing: null,
    writtenLength: -1,
    renewedAt: 0,
  });
  if (!isRunning) void run();
}

/**
 * Writes nothing more of a call. Returns how to remove its row in the transaction that records it, or `null` if it has none.
 * The row is removed after the call's spans are stored: in the order in which deletions lock them.
 */
export async function endProgress(ctx: Ctx, id: string): Promise<((tx: Ctx) => Promise<unknown>) | null> {
  const entry = entries.get(keyOf(ctx, id));
  entries.delete(keyOf(ctx, id));
  if (!entry?.writing) return null;
  await entry.writing;
  return (tx) => tx.db.delete(gatewayCalls).where(isCall(tx, id));
}

/** Removes a call that will not be recorded. */
export async function forgetProgress(ctx: Ctx, id: string): Promise<void> {
  try {
    await (await endProgress(ctx, id))?.(ctx);
  } catch (error) {
    logger("gateway").error({ err: loggable(error) }, "A call that is not recorded could not be forgotten.");
  }
}

export const isCall = ({ projectId }: Ctx, id: string) =>
  and(eq(gatewayCalls.projectId, projectId), eq(gatewayCalls.id, id));

async function run() {
  isRunning = true;
  while (entries.size > 0) {
    await sleep(WRITE_MS, undefined, { ref: false });
    await writeNew();
    if (performance.now() - renewedAt < RENEW_MS) continue;
    renewedAt = performance.now();
    await renew();
  }
  isRunning = false;
}

type Row = { entry: Entry; text: string; length: number };

/** Returns a call's row as JSON text; `null` if it cannot be written. `more`: what does not change. */
async function rowOf(entry: Entry, more: (entry: Entry, own: Spans["items"][number]) => Promise<object>) {
  const { ctx, id } = entry;
  try {
    const length = entry.length();
    const { items } = await maskTraces(ctx, entry.spans());
    const own = items.at(-1);
    if (own === undefined) throw new Error("The call has no span.");
    const row = { project_id: ctx.projectId, id, spans: items, ...(await more(entry, own)) };
    return { entry, text: JSON.stringify(row), length };
  } catch (error) {
    entry.isUnwritable = true;
    logger("gateway").warn({ err: loggable(error) }, NOT_WRITTEN);
    return null;
  }
}

const NOT_WRITTEN = "A call in progress could not be written; it is lost if the process dies.";

async function unchanging(entry: Entry, own: Spans["items"][number]) {
  const { ctx, traceId, startedAt } = entry;
  const asked = { ...own, attributes: await entry.request };
  const [masked] = (await maskTraces(ctx, { items: [asked], received: 1, rejections: [] })).items;
  return { trace_id: traceId, held_by: holder, started_at: startedAt, request: masked?.attributes ?? {} };
}

async function writeNew() {
  let rows: Row[] = [];
  for (const entry of [...entries.values()]) {
    if (entry.isWritten || entry.isUnwritable || performance.now() < entry.retryAt) continue;
    // Answers go on while rows are prepared.
    await nextTurn();
    const row = isFollowed(entry) ? await rowOf(entry, unchanging) : null;
    if (row === null) continue;
    rows.push(row);
    // One that has failed is written alone: the others may be innocent.
    if (entry.failures === 0 && lengthOf(rows) < STATEMENT_CHARACTERS) continue;
    if (!(await send(rows, inserting))) return;
    rows = [];
  }
  await send(rows, inserting);
}

const lengthOf = (rows: readonly Row[]) => rows.reduce((sum, { text }) => sum + text.length, 0);

/** Writes answers that have grown, and extends leases that are half over. */
async function renew() {
  const now = performance.now();
  const written = [...entries.values()].filter(({ isWritten }) => isWritten).sort((a, b) => a.renewedAt - b.renewedAt);
  const rows: Row[] = [];
  let characters = 0;
  for (const entry of written) {
    if (now - entry.followedSince > FOLLOWED_MAX_MS) entries.delete(keyOf(entry.ctx, entry.id));
    if (!isFollowed(entry)) continue;
    const hasGrown = !entry.isUnwritable && entry.length() !== entry.writtenLength;
    if (hasGrown && characters < STATEMENT_CHARACTERS) {
      await nextTurn();
      const row = await rowOf(entry, async () => ({}));
      if (row) rows.push(row);
      characters += row?.text.length ?? 0;
    } else if (now - entry.renewedAt > LEASE_MS / 2) {
      const text = JSON.stringify({ project_id: entry.ctx.projectId, id: entry.id });
      rows.push({ entry, text, length: entry.writtenLength });
    }
  }
  await send(rows, updating);
}

/** Those of deleted projects are left out. */
function inserting(text: string): SQL {
  const { columns, rows } = rowsFor(gatewayCalls, ["leased_until"], text);
  return sql`
    insert into gateway_calls (leased_until, ${columns})
    select ${LEASE_END}, ${columns} from ${rows} where exists (select 1 from projects p where p.id = t.project_id)
    on conflict do nothing`;
}

/** Rows that are gone, because someone deleted their content or has recorded them, stay gone. */
function updating(text: string): SQL {
  const { rows } = rowsFor(gatewayCalls, ["trace_id", "held_by", "leased_until", "started_at", "request"], text);
  return sql`
    update gateway_calls c set leased_until = ${LEASE_END}, spans = coalesce(t.spans, c.spans) from ${rows}
    where c.project_id = t.project_id and c.id = t.id and c.held_by = ${holder}`;
}

/** Sends a statement for the calls that have not ended. Returns whether it succeeded. */
async function send(prepared: readonly Row[], statement: (text: string) => SQL): Promise<boolean> {
  const rows = prepared.filter(({ entry }) => isFollowed(entry));
  const db: Db | undefined = rows[0]?.entry.ctx.db;
  if (db === undefined) return true;
  const sentAt = performance.now();
  const execute = async () => {
    try {
      await db.execute(statement(`[${rows.map(({ text }) => text).join()}]`));
    } catch (error) {
      logger("gateway").warn({ err: loggable(error), calls: rows.length }, NOT_WRITTEN);
      return false;
    }
    return true;
  };
  const sending = execute();
  for (const { entry } of rows) entry.writing = sending;
  const isDone = await sending;
  for (const { entry, length } of rows) {
    if (isDone) Object.assign(entry, { isWritten: true, failures: 0, writtenLength: length, renewedAt: sentAt });
    else {
      entry.failures += 1;
      entry.retryAt = performance.now() + Math.min(entry.failures * BACKOFF_MS, BACKOFF_MAX_MS);
    }
  }
  return isDone;
}
