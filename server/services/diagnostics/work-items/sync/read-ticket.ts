import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { codeReferences, ticketChanges, workItems } from "@/db/schema";
import { insertOf } from "@/db/sets";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import {
  type CodeReference,
  openTracker,
  type Ticket,
  type TrackerError,
  type TrackerSettings,
} from "@/server/services/connections";
import { lockFinding, lockWorkItem, readFindingState, type WorkItemRow, whichItem } from "../rows";
import { applyTicket } from "./apply-ticket";
import { mayRetry, postpone, trackerFailure } from "./failures";
import type { Renew } from "./lease";

export type Reading = { error?: TrackerError; retryAt?: number };

/** Reads and stores a ticket, with the commits and pull requests that name it. The caller must hold the lease. */
export async function readTicket(ctx: Ctx, item: WorkItemRow, renew: Renew): Promise<Reading> {
  try {
    const { tracker, settings } = await openTracker(ctx, item.connectionId, "sync", renew);
    const ticket = await tracker.read(item.destination, item.externalId!);
    const references = await tracker.references(item.destination, item.externalId!);
    await inTransaction(ctx, (tx) => store(tx, item, { ticket, references }, settings));
    return {};
  } catch (thrown) {
    const error = trackerFailure(thrown);
    await renew();
    if (error.reason === "gone") await inTransaction(ctx, (tx) => lose(tx, item, error));
    else if (mayRetry(item, error)) return { error, retryAt: await postpone(ctx, item, error) };
    else
      await ctx.db
        .update(workItems)
        .set({ error: error.message, attempts: 0, readRequestedAt: null })
        .where(whichItem(ctx, item.id));
    return { error };
  }
}

/** Clears the request to read, except one that arrived after this read began. */
const answered = ({ readRequestedAt }: WorkItemRow) =>
  sql`case when ${workItems.readRequestedAt} is distinct from ${readRequestedAt}::bigint then ${workItems.readRequestedAt} end`;

type Read = { ticket: Ticket; references: readonly CodeReference[] };

async function store(
  tx: Ctx,
  { id, findingId: was, readRequestedAt }: WorkItemRow,
  { ticket, references }: Read,
  settings: TrackerSettings,
) {
  const item = await lockWorkItem(tx, id, was);
  const finding = await readFindingState(tx, item.findingId);
  if (item.state !== "open" && item.state !== "closed") return;
  // Our queued changes come first, and the ticket is read again after them.
  if (await hasQueuedChanges(tx, id)) return;
  await tx.db
    .update(workItems)
    .set({ attempts: 0, readRequestedAt: answered({ ...item, readRequestedAt }) })
    .where(whichItem(tx, id));
  await applyTicket(tx, { item, finding }, ticket, settings);
  await storeReferences(tx, id, references);
}

async function hasQueuedChanges(tx: Ctx, workItemId: string): Promise<boolean> {
  const [queued] = await tx.db
    .select({ id: ticketChanges.id })
    .from(ticketChanges)
    .where(
      and(
        eq(ticketChanges.projectId, tx.projectId),
        eq(ticketChanges.workItemId, workItemId),
        eq(ticketChanges.state, "queued"),
      ),
    )
    .limit(1);
  return queued !== undefined;
}

async function storeReferences(tx: Ctx, workItemId: string, references: readonly CodeReference[]) {
  const byUrl = new Map(references.map((reference) => [reference.url, reference]));
  if (byUrl.size === 0) return;
  await tx.db.execute(
    insertOf(codeReferences, {
      same: { project_id: tx.projectId, work_item_id: workItemId },
      rows: [...byUrl.values()].map((reference) => ({ id: newId("ref"), ...reference })),
      onConflict: { on: ["project_id", "work_item_id", "url"], keep: ["id"] },
    }),
  );
}

/** Marks the work item of a ticket that was deleted in the tracker as failed. Its Finding keeps its state; a person decides. */
async function lose(tx: Ctx, { id, findingId }: WorkItemRow, error: TrackerError) {
  await lockFinding(tx, findingId);
  const lost = { kind: "seen_gone", state: "done", doneAt: NOW } as const;
  await tx.db.insert(ticketChanges).values({ projectId: tx.projectId, id: newId("tch"), workItemId: id, ...lost });
  await tx.db
    .update(workItems)
    .set({ state: "failed", error: error.message, attempts: 0, readRequestedAt: null, updatedAt: NOW })
    .where(and(whichItem(tx, id), sql`${workItems.state} in ('open', 'closed')`));
}
