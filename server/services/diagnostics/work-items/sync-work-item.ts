import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ticketChanges, workItems } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { refusal } from "./hand-off";
import { wakeWorkItems } from "./queue-changes";
import { requestRead } from "./request-read";
import { readWorkItem, type WorkItemRow, whichItem } from "./rows";
import { changedWorkItemReply, findingWorkItemInput, workItemReply } from "./schemas";
import { createTicket } from "./sync/create-ticket";
import { leaseWorkItem } from "./sync/lease";
import { runWorkItem } from "./sync/run-work-item";
import { workItemAfter } from "./work-item-json";

const spec = {
  effect: "write",
  capability: "diagnostics:write",
  input: findingWorkItemInput,
  reply: workItemReply,
  writeOnlyReply: { unless: ["diagnostics:read"] as const, reply: changedWorkItemReply },
} as const;

/** Maximum turns: queued changes, and the read after them. */
const TURNS = 5;

export const syncWorkItem = verb(
  {
    ...spec,
    name: "workItems.sync",
    summary: "Read a ticket's state from its tracker now.",
    description:
      "A ticket that was closed in the tracker resolves the Finding, and one that was reopened returns it to unresolved. Only a work item that is `open` or `closed` can be read (409). If the tracker does not reply: 503, and a job retries.",
  },
  {
    before: async (ctx, { findingId, workItemId }) => {
      const item = await readWorkItem(ctx, workItemId, findingId);
      requireReadable(item);
      await inTransaction(ctx, (tx) => requestRead(tx, [workItemId]));
      await readNow(ctx, workItemId);
    },
    run: async (ctx, { workItemId }) => {
      auditNote(ctx, { target: { type: "workItem", id: workItemId } });
      return workItemAfter(ctx, workItemId);
    },
  },
);

function requireReadable({ state }: WorkItemRow) {
  if (state !== "open" && state !== "closed")
    throw new ServiceError("conflict", `This work item is ${state}: there is no ticket to read.`);
}

/** A person is waiting for the reply, and a job may be in the middle of a turn. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

async function readNow(ctx: Ctx, workItemId: string) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    await runNow(ctx, workItemId);
    const { readRequestedAt, leasedUntil, dueAt, error } = await readWorkItem(ctx, workItemId);
    if (readRequestedAt === null) return;
    const isPostponed = leasedUntil === null && error !== null && (dueAt ?? 0) > Date.now() + LOOK_MS;
    if (isPostponed || Date.now() > deadline)
      throw new ServiceError("unavailable", error ?? "The ticket is being changed. Its state follows shortly.");
    await sleep(LOOK_MS);
  }
}

async function runNow(ctx: Ctx, workItemId: string) {
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { done, waitUntil } = await runWorkItem(ctx, workItemId);
    if (done || waitUntil !== undefined) return;
  }
}

export const retryWorkItem = verb(
  {
    ...spec,
    name: "workItems.retry",
    summary: "Retry what failed: the creation of a ticket, or changes to it.",
    description:
      "A ticket that a failed attempt may have created is looked up first. If the tracker refuses again, the response is the same as for creation (422, 501), and the work item stays `failed`. If nothing failed: 409.",
  },
  {
    before: async (ctx, { findingId, workItemId }) => {
      const item = await readWorkItem(ctx, workItemId, findingId);
      if (item.state === "failed") {
        if (item.externalId !== null)
          throw new ServiceError("conflict", "The ticket no longer exists in the tracker. Replace the work item.");
        return retryCreation(ctx, item);
      }
      const retried = await inTransaction(ctx, (tx) => requeueChanges(tx, item));
      if (!retried) throw new ServiceError("conflict", "Nothing failed for this work item.");
      await runNow(ctx, workItemId);
    },
    run: async (ctx, { workItemId }) => {
      auditNote(ctx, { target: { type: "workItem", id: workItemId } });
      return workItemAfter(ctx, workItemId);
    },
  },
);

async function retryCreation(ctx: Ctx, failed: WorkItemRow) {
  const leased = await leaseWorkItem(ctx, failed.id);
  if (leased === undefined) throw new ServiceError("conflict", "Another attempt is in progress.");
  const [item] = await ctx.db
    .update(workItems)
    .set({
      state: "pending",
      error: null,
      dueAt: NOW,
      updatedAt: NOW,
    })
    .where(sql`${whichItem(ctx, failed.id)} and ${workItems.state} = 'failed'`)
    .returning();
  if (!item) throw new ServiceError("conflict", "Nothing failed for this work item.");
  const creation = await createTicket(ctx, { ...item, lapsedAt: leased.lapsedAt });
  if (!creation.created && !creation.pending) throw refusal(creation.error, item);
}

async function requeueChanges(tx: Ctx, { id, state }: WorkItemRow): Promise<boolean> {
  if (state !== "open" && state !== "closed") return false;
  const requeued = await tx.db
    .update(ticketChanges)
    .set({ state: "queued", error: null, doneAt: null })
    .where(
      sql`${eq(ticketChanges.projectId, tx.projectId)} and ${eq(ticketChanges.workItemId, id)} and ${ticketChanges.state} = 'failed' and ${ticketChanges.kind} <> 'create'`,
    )
    .returning({ id: ticketChanges.id });
  if (requeued.length > 0) await wakeWorkItems(tx, [id]);
  return requeued.length > 0;
}
