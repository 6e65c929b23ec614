import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { gatewayCalls } from "@/db/schema";
import { rowsFor } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS, SECOND_MS } from "@/server/platform/durations";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { maskOwnTraces } from "@/server/services/telemetry";

/** What is written of a call while it is in progress. */
export type Progress = {
  traceId: string;
  /** Unix ms. */
  startedAt: number;
  /** Returns a span with the attributes of its request, which belong to the last one of `spans`. */
  request: () => Promise<string>;
  /** Of the answer, in characters or what else grows with each part of it. */
  length: () => number;
  /** Returns its spans as they are recorded if nothing more arrives. Both are elements of OTLP's `resourceSpans`. */
  spans: () => string;
};

type Entry = Progress & {
  ctx: Ctx;
  id: string;
  followedSince: number;
  /** How often its row was not written, and when to try again. */
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
const WRITE_MS = 250;
const RENEW_MS = SECOND_MS;
/** An answer is written again when it is longer by this factor, so that a long one is not written a hundred times; */
const GROWTH = 1.25;
/** or when what has arrived is this old. */
const REWRITE_MS = 10 * SECOND_MS;
/** Other work of the process waits no longer than this for texts that are made. */
const TURN_MS = 2;
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
    failures: 0,
    retryAt: 0,
    isWritten: false,
    writing: null,
    writtenLength: -1,
    renewedAt: 0,
  });
  if (!isRunning) void run();
}

/** Writes nothing more of a call. Returns the id of its row, if it may have one, for `removeProgress`. */
export async function endProgress(ctx: Ctx, id: string): Promise<string[]> {
  const entry = entries.get(keyOf(ctx, id));
  entries.delete(keyOf(ctx, id));
  if (!entry?.writing) return [];
  await entry.writing;
  return [id];
}

/** Removes the rows of calls that were recorded, or will not be. */
export async function removeProgress({ db, projectId }: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.delete(gatewayCalls).where(and(eq(gatewayCalls.projectId, projectId), inArray(gatewayCalls.id, [...ids])));
}

/** Removes a call that will not be recorded. */
export async function forgetProgress(ctx: Ctx, id: string): Promise<void> {
  try {
    await removeProgress(ctx, await endProgress(ctx, id));
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

/** What is to be written of a call; `request` only with its first row. */
type Draft = { entry: Entry; length: number; spans: string; request: string | null };
type Row = { entry: Entry; length: number; text: string };

const NOT_WRITTEN = "A call in progress could not be written; it is lost if the process dies.";

const byProject = (a: Entry, b: Entry) => (a.ctx.projectId < b.ctx.projectId ? -1 : 1);

async function writeNew() {
  const now = performance.now();
  const due = [...entries.values()].filter((entry) => !entry.isWritten && now >= entry.retryAt).sort(byProject);
  await write(due, { isNew: true, characters: Number.POSITIVE_INFINITY });
}

/** Writes answers that have grown, and extends leases that are half over. */
async function renew() {
  const now = performance.now();
  const written = [...entries.values()].filter(({ isWritten }) => isWritten).sort((a, b) => a.renewedAt - b.renewedAt);
  for (const entry of written) {
    if (now - entry.followedSince > FOLLOWED_MAX_MS) entries.delete(keyOf(entry.ctx, entry.id));
  }
  const hasGrown = ({ length, writtenLength, renewedAt: at }: Entry) =>
    length() !== writtenLength && (length() >= writtenLength * GROWTH || now - at > REWRITE_MS);
  const grown = new Set(written.filter(hasGrown));
  await write([...grown], { isNew: false, characters: STATEMENT_CHARACTERS });
  const aging = written.filter((entry) => !grown.has(entry) && now - entry.renewedAt > LEASE_MS / 2);
  await send(
    aging.map((entry) => ({ entry, text: JSON.stringify(keyIn(entry)), length: entry.writtenLength })),
    updating,
  );
}

const keyIn = ({ ctx: { projectId }, id }: Entry) => ({ project_id: projectId, id });

/** Writes calls in statements of one project each, up to so many characters in all. Stops when one fails. */
async function write(due: readonly Entry[], { isNew, characters }: { isNew: boolean; characters: number }) {
  let drafts: Draft[] = [];
  let left = characters;
  let turnSince = performance.now();
  const flush = async () => {
    const rows = await rowsOf(drafts);
    drafts = [];
    return rows !== null && (await send(rows, isNew ? inserting : updating));
  };
  for (const entry of due) {
    if (left <= 0) break;
    if (performance.now() - turnSince > TURN_MS) {
      await nextTurn();
      turnSince = performance.now();
    }
    const [first] = drafts;
    // One that has failed is written alone: the others may be innocent.
    const isApart = first && (first.entry.ctx.projectId !== entry.ctx.projectId || entry.failures > 0);
    if (isApart && !(await flush())) return;
    const draft = isFollowed(entry) ? await draftOf(entry, isNew) : null;
    if (draft === null) continue;
    drafts.push(draft);
    left -= draft.spans.length;
    if ((entry.failures > 0 || lengthOf(drafts) >= STATEMENT_CHARACTERS) && !(await flush())) return;
  }
  await flush();
}

const lengthOf = (drafts: readonly Draft[]) =>
  drafts.reduce((sum, { spans, request }) => sum + spans.length + (request?.length ?? 0), 0);

async function draftOf(entry: Entry, isNew: boolean): Promise<Draft | null> {
  try {
    const request = isNew ? await entry.request() : null;
    return { entry, length: entry.length(), spans: entry.spans(), request };
  } catch (error) {
    failed([entry], error);
    return null;
  }
}

function failed(failures: readonly Entry[], error: unknown) {
  for (const entry of failures) {
    entry.failures += 1;
    entry.retryAt = performance.now() + Math.min(entry.failures * BACKOFF_MS, BACKOFF_MAX_MS);
  }
  logger("gateway").warn({ err: loggable(error), calls: failures.length }, NOT_WRITTEN);
}

/** Masks calls of one project, and returns their rows as JSON texts; `null` if that fails. */
async function rowsOf(drafts: readonly Draft[]): Promise<Row[] | null> {
  const [first] = drafts;
  if (first === undefined) return [];
  const bodies = drafts.flatMap(({ spans, request }) => (request === null ? [spans] : [spans, request])).map(bodyOf);
  try {
    const masked = (await maskOwnTraces(first.entry.ctx, bodies)).values();
    return drafts.map(({ entry, length, request }) => {
      const spans = [...(masked.next().value ?? [])].map(({ attributes, rest }) =>
        withField(rest, "attributes", attributes),
      );
      const [asked] = request === null ? [] : (masked.next().value ?? []);
      const { traceId, startedAt } = entry;
      const known = asked ? { trace_id: traceId, held_by: holder, started_at: startedAt } : {};
      const row = withField(JSON.stringify({ ...keyIn(entry), ...known }), "spans", `[${spans.join()}]`);
      return { entry, length, text: asked ? withField(row, "request", asked.attributes) : row };
    });
  } catch (error) {
    failed(
      drafts.map(({ entry }) => entry),
      error,
    );
    return null;
  }
}

const bodyOf = (spans: string) => Buffer.from(`{"resourceSpans":[${spans}]}`);

/** Adds a field, whose value is JSON text already, to the text of an object that is not empty. */
const withField = (object: string, name: string, value: string) => `${object.slice(0, -1)},"${name}":${value}}`;

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
      failed(
        rows.map(({ entry }) => entry),
        error,
      );
      return false;
    }
    return true;
  };
  const sending = execute();
  for (const { entry } of rows) entry.writing = sending;
  const isDone = await sending;
  if (isDone)
    for (const { entry, length } of rows)
      Object.assign(entry, { isWritten: true, failures: 0, writtenLength: length, renewedAt: sentAt });
  return isDone;
}
