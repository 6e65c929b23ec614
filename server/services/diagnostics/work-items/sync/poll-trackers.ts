import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trackerCursors, workItems } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { trackerPollDue, workItemDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { openTracker, type Ticket } from "@/server/services/connections";
import { requestRead } from "../request-read";
import { trackerFailure } from "./failures";
import { isUnleased } from "./lease";

/** Some trackers list changes by a search that lags behind, and Jira's has times only to the minute. */
const OVERLAP_MS = 3 * 60_000;
/** Interval at which tickets that no list names are reread. */
const REREAD_MS = 60 * 60_000;
const REREADS = 10;
/** Work that has been due for this long was forgotten: its event was lost with a job engine, or its job gave up. */
const FORGOTTEN_MS = 60_000;
const MAX_PAUSE_MS = 15 * 60_000;

/** Emits an event for each project with tickets to poll, and wakes work items that nothing else will. */
export async function schedulePolls(db: Db): Promise<{ projects: number; woken: number }> {
  const projects = await db.execute<{ project_id: string }>(sql`
    select distinct project_id from work_items where state in ('open', 'closed')`);
  await emit(db, ...[...projects].map((row) => trackerPollDue.create({ projectId: row.project_id })));
  const forgotten = await db.execute<{ project_id: string; id: string }>(sql`
    select project_id, id from work_items
    where due_at < ${NOW} - ${FORGOTTEN_MS}::bigint and ${isUnleased}
      and state in ('pending', 'open', 'closed', 'replaced')
    order by due_at limit 500`);
  await emit(db, ...[...forgotten].map((row) => workItemDue.create({ projectId: row.project_id, workItemId: row.id })));
  return { projects: projects.length, woken: forgotten.length };
}

type PolledDestination = { connectionId: string; destination: string; oldest: number };

/** Looks for changed tickets in every place where the project has linked ones, and requests that they be read. */
export async function pollTrackers(ctx: Ctx): Promise<{ changed: number }> {
  const destinations = await ctx.db.execute<{ connection_id: string; destination: string; oldest: string }>(sql`
    select w.connection_id, w.destination, min(w.external_updated_at) as oldest
    from work_items w
    join connections c on c.project_id = w.project_id and c.id = w.connection_id
    left join tracker_cursors t on t.project_id = w.project_id and t.connection_id = w.connection_id
      and t.destination = w.destination
    where w.project_id = ${ctx.projectId} and w.state in ('open', 'closed') and coalesce(t.due_at, 0) <= ${NOW}
    group by 1, 2 order by 1, 2`);
  let changed = 0;
  for (const { connection_id: connectionId, destination, oldest } of destinations)
    changed += await pollDestination(ctx, { connectionId, destination, oldest: Number(oldest) });
  return { changed: changed + (await reread(ctx)) };
}

/** There is one cursor for each place. */
const cursorId = ({ connectionId, destination }: PolledDestination) => `${connectionId} ${destination}`;

async function pollDestination(ctx: Ctx, polled: PolledDestination): Promise<number> {
  const { connectionId, destination } = polled;
  const which = and(eq(trackerCursors.projectId, ctx.projectId), eq(trackerCursors.id, cursorId(polled)));
  const [cursor] = await ctx.db.select().from(trackerCursors).where(which);
  const since = cursor?.changedSince ?? polled.oldest;
  const row = { projectId: ctx.projectId, id: cursorId(polled), connectionId, destination };
  const store = (set: Partial<typeof trackerCursors.$inferInsert>) =>
    ctx.db
      .insert(trackerCursors)
      .values({ ...row, changedSince: since, polledAt: NOW as never, ...set })
      .onConflictDoUpdate({
        target: [trackerCursors.projectId, trackerCursors.id],
        set: { polledAt: sql`${NOW}`, ...set },
      });
  try {
    const { tracker } = await openTracker(ctx, connectionId, "sync");
    const tickets = await tracker.changedSince(destination, since - OVERLAP_MS);
    const changed = await requestChanged(ctx, polled, tickets);
    const changedSince = Math.max(since, ...tickets.map(({ updatedAt }) => updatedAt));
    await store({ changedSince, error: null, failures: 0, dueAt: null });
    if (cursor?.error) await sayOnItems(ctx, polled, { from: cursor.error, to: null });
    return changed;
  } catch (thrown) {
    const error = trackerFailure(thrown);
    const failures = (cursor?.failures ?? 0) + 1;
    // Transient errors are not shown; anyone who looks at a ticket has to know about the others.
    if (!error.transient) await sayOnItems(ctx, polled, { from: cursor?.error ?? null, to: error.message });
    const pause = Math.random() * Math.min(MAX_PAUSE_MS, 10_000 * 2 ** failures);
    await store({ error: error.message, failures, dueAt: Math.ceil(Math.max(error.retryAt ?? 0, Date.now()) + pause) });
    return 0;
  }
}

/** Sets the error of the work items in a place, unless they have another one of their own. */
const sayOnItems = (ctx: Ctx, polled: PolledDestination, { from, to }: { from: string | null; to: string | null }) =>
  ctx.db.execute(sql`
    update work_items set error = ${to}
    where project_id = ${ctx.projectId} and connection_id = ${polled.connectionId} and destination = ${polled.destination}
      and state in ('open', 'closed') and (error is null or error = ${from}::text)`);

/** Requests reads of those tickets that are ours and changed since we last saw them. */
async function requestChanged(ctx: Ctx, { connectionId, destination }: PolledDestination, tickets: readonly Ticket[]) {
  if (tickets.length === 0) return 0;
  const byId = new Map(tickets.map((ticket) => [ticket.externalId, ticket]));
  const ours = await ctx.db
    .select()
    .from(workItems)
    .where(
      sql`${eq(workItems.projectId, ctx.projectId)} and ${eq(workItems.connectionId, connectionId)}
        and ${eq(workItems.destination, destination)} and ${workItems.state} in ('open', 'closed')
        and ${workItems.externalId} = any(${sql.param([...byId.keys()])}::text[])`,
    );
  // Some trackers have times only to the second, so two changes within one have the same time.
  const changed = ours.filter((item) => {
    const { updatedAt, state } = byId.get(item.externalId!)!;
    const known = item.externalUpdatedAt!;
    return updatedAt > known || (updatedAt === known && state !== item.externalState);
  });
  await inTransaction(ctx, (tx) =>
    requestRead(
      tx,
      changed.map(({ id }) => id),
    ),
  );
  return changed.length;
}

async function reread(ctx: Ctx): Promise<number> {
  const stale = await ctx.db.execute<{ id: string }>(sql`
    select w.id from work_items w
    join connections c on c.project_id = w.project_id and c.id = w.connection_id
    where w.project_id = ${ctx.projectId} and w.state in ('open', 'closed')
      and coalesce(w.last_synced_at, 0) < ${NOW} - ${REREAD_MS}::bigint
      and coalesce(w.read_requested_at, 0) < ${NOW} - ${REREAD_MS}::bigint
    order by w.last_synced_at nulls first limit ${REREADS}`);
  await inTransaction(ctx, (tx) =>
    requestRead(
      tx,
      [...stale].map(({ id }) => id),
    ),
  );
  return stale.length;
}
