import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { openTracker, type Ticket, TrackerError, type TrackerSettings } from "@/server/services/connections";
import { recordEvents } from "../../findings/finding-events";
import { changeFindings } from "../../findings/review/change-findings";
import { lockWorkItem, type WorkItemRow, whichItem } from "../rows";
import { composeTicket } from "../ticket/compose-ticket";
import { isClosed, ticketColumns } from "./apply-ticket";
import { mayRetry, postpone, trackerFailure, wakeAt } from "./failures";
import { type LeasedItem, type Renew, whileLeased } from "./lease";

/** Clocks differ, and some trackers have times only to the minute. */
const SKEW_MS = 10 * 60_000;

export type Creation =
  | { created: true }
  /** Its job tries again at `retryAt` (Unix ms), or another process has taken over. */
  | { created: false; pending: true; retryAt?: number }
  /** The work item has failed. */
  | { created: false; pending: false; error: TrackerError };

/**
 * Creates a pending work item's ticket, unless an earlier attempt did: each attempt first stores that a ticket may exist, and
 * the next one searches for the marker before it creates another. The caller must hold the lease, which this releases.
 */
export const createTicket = async (ctx: Ctx, item: LeasedItem): Promise<Creation> =>
  (await whileLeased(ctx, item, (renew) => attempt(ctx, item, renew))) ?? { created: false, pending: true };

async function attempt(ctx: Ctx, item: LeasedItem, renew: Renew): Promise<Creation> {
  /** Set once it is certain that no earlier attempt created a ticket. */
  let lagMs: number | undefined;
  try {
    const { tracker, settings } = await openTracker(ctx, item.connectionId, "hand off", renew);
    const settlesAt = await waitForDeadProcess(ctx, item, tracker.creationLagMs);
    if (settlesAt !== undefined) return { created: false, pending: true, retryAt: settlesAt };
    const found = await findCreated(item, tracker);
    if (found === null) lagMs = tracker.creationLagMs;
    const made = found ?? (await create(ctx, item, { tracker, settings }, renew));
    await inTransaction(ctx, (tx) => link(tx, item, made, settings));
    return { created: true };
  } catch (thrown) {
    const error = trackerFailure(thrown);
    await renew();
    if (!error.ambiguous && lagMs !== undefined)
      await ctx.db.update(workItems).set({ uncertainSince: null }).where(isOurs(ctx, item));
    // Sooner, the next attempt's search could miss a ticket that this one created.
    const atLeastMs = error.ambiguous ? lagMs : undefined;
    if (mayRetry(item, error))
      return { created: false, pending: true, retryAt: await postpone(ctx, item, error, atLeastMs) };
    await inTransaction(ctx, (tx) => fail(tx, item, error));
    return { created: false, pending: false, error };
  }
}

/**
 * If a process died during the previous attempt, waits until what it may have created would appear in the tracker's lists, and
 * returns that time (Unix ms).
 */
async function waitForDeadProcess(ctx: Ctx, item: LeasedItem, creationLagMs: number): Promise<number | undefined> {
  if (item.uncertainSince === null || item.lapsedAt === null) return undefined;
  return wakeAt(ctx, item, item.lapsedAt + creationLagMs);
}

type Opened = Pick<Awaited<ReturnType<typeof openTracker>>, "tracker" | "settings">;

/** Returns the ticket that an earlier attempt created; `null` if none did. */
async function findCreated(item: WorkItemRow, tracker: Opened["tracker"]): Promise<Ticket | null> {
  if (item.uncertainSince === null) return null;
  return whileUncertain(tracker.findCreated(item.destination, item.id, item.uncertainSince - SKEW_MS));
}

async function create(ctx: Ctx, item: WorkItemRow, { tracker, settings }: Opened, renew: Renew): Promise<Ticket> {
  const { title, body } = await composeTicket(ctx, item.findingId, settings);
  await renew();
  await ctx.db.update(workItems).set({ uncertainSince: NOW }).where(isOurs(ctx, item));
  const { labels, issueType } = settings;
  return tracker.create(item.destination, { title, body, labels, issueType, marker: item.id });
}

/** Marks the failure of a search as ambiguous, because it does not tell whether the previous attempt created a ticket. */
async function whileUncertain<T>(search: Promise<T>): Promise<T> {
  try {
    return await search;
  } catch (thrown) {
    const { reason, message, retryAt } = trackerFailure(thrown);
    throw new TrackerError(reason, message, { retryAt, ambiguous: true });
  }
}

const isOurs = (ctx: Ctx, { id }: WorkItemRow) => sql`${whichItem(ctx, id)} and ${eq(workItems.state, "pending")}`;

async function link(tx: Ctx, { id, findingId: was }: WorkItemRow, ticket: Ticket, settings: TrackerSettings) {
  const item = await lockWorkItem(tx, id, was);
  const { findingId } = item;
  const created = { kind: "create", reason: "handed_off", state: "done", doneAt: NOW } as const;
  await tx.db
    .insert(ticketChanges)
    .values({ projectId: tx.projectId, id: newId("tch"), workItemId: id, ...created, externalState: ticket.state });
  const columns = { ...ticketColumns(ticket), lastSyncedAt: NOW, updatedAt: NOW, uncertainSince: null };
  const isWanted = item.state === "pending";
  await tx.db
    .update(workItems)
    .set({
      ...columns,
      ...(isWanted && { state: isClosed(ticket, settings) ? ("closed" as const) : ("open" as const) }),
      error: null,
      attempts: 0,
      leasedUntil: null,
      dueAt: null,
    })
    .where(whichItem(tx, id));
  // Abandoned while it was created: the ticket stays in the tracker, as after any other abandonment.
  if (!isWanted) return;
  const detail = { workItemId: id, provider: item.provider, key: ticket.key, url: ticket.url };
  await recordEvents(tx, [{ findingId, kind: "handed_off", detail }]);
  // What a rule hands off, nobody has reviewed yet.
  if (item.handoffRuleId === null) await changeFindings(tx, [findingId], { reviewStatus: "confirmed" }, newId("fch"));
}

async function fail(tx: Ctx, { id, findingId }: WorkItemRow, error: TrackerError) {
  const item = await lockWorkItem(tx, id, findingId);
  const failed = { kind: "create", reason: "handed_off", state: "failed", doneAt: NOW } as const;
  await tx.db
    .insert(ticketChanges)
    .values({ projectId: tx.projectId, id: newId("tch"), workItemId: id, ...failed, error: error.message });
  await tx.db
    .update(workItems)
    .set({
      ...(item.state === "pending" && { state: "failed" as const }),
      error: error.message,
      attempts: 0,
      leasedUntil: null,
      dueAt: null,
      updatedAt: NOW,
    })
    .where(whichItem(tx, id));
}
