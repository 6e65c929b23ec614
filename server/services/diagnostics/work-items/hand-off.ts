import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { TRACKER_LABELS, type TrackerError } from "@/server/services/connections";
import { changeFindings } from "../findings/review/change-findings";
import { whereTo } from "./connection-for";
import { insertWorkItem } from "./insert-work-item";
import { linkedItem, lockFinding, readFindingState, type WorkItemRow } from "./rows";
import { changedWorkItemReply, type HandOff, handOffInput, workItemReply } from "./schemas";
import { createTicket } from "./sync/create-ticket";
import { deleteWorkItem } from "./sync/delete-work-item";
import { workItemAfter } from "./work-item-json";

export const handOff = verb(
  {
    name: "workItems.create",
    summary: "Create a ticket for a Finding in an issue tracker, and confirm the Finding.",
    description:
      "Personal data and secrets are masked before sending. `destination` is in the tracker's notation (`owner/repo`, `group/project`, a team key, a project key); the default is the connection's. A Finding has one ticket at a time: the same request returns it, another tracker or destination is a 409 (use `replacements`). Without a usable connection: 501, which says how to create one. A destination that the tracker refuses: 422, with the tracker's message. If the tracker cannot be reached, the work item is `pending`, and a job creates the ticket, never twice.",
    effect: "write",
    capability: "diagnostics:write",
    input: handOffInput,
    reply: workItemReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedWorkItemReply },
  },
  {
    before: beginHandOff,
    run: async (ctx, { findingId }, { id }) => {
      await changeFindings(ctx, [findingId], { reviewStatus: "confirmed" }, newId("fch"));
      auditNote(ctx, { target: { type: "workItem", id } });
      return workItemAfter(ctx, id);
    },
  },
);

/** Links a Finding to a ticket: the one that it has, or a new one, created immediately. Must not run in a transaction. */
export async function beginHandOff(ctx: Ctx, { findingId, ...input }: HandOff): Promise<WorkItemRow> {
  await readFindingState(ctx, findingId);
  const target = await whereTo(ctx, input);
  const { item, isNew } = await inTransaction(ctx, async (tx) => {
    await requireUnmerged(tx, findingId);
    const linked = await linkedItem(tx, findingId);
    if (linked === undefined) {
      const { settings: _, ...to } = target;
      return { item: await insertWorkItem(tx, { findingId, ...to }, { leased: true }), isNew: true };
    }
    requireSame(linked, target, input.destination !== undefined);
    return { item: linked, isNew: false };
  });
  if (isNew) await createOrForget(ctx, item);
  return item;
}

/** Locks a Finding; throws a 404 for a merged one, which is part of another that has the ticket. */
export async function requireUnmerged(tx: Ctx, findingId: string) {
  const { mergedIntoId } = await lockFinding(tx, findingId);
  if (mergedIntoId !== null) throw notFound("Finding");
}

function requireSame(
  { provider, destination, connectionId, externalKey }: WorkItemRow,
  input: { provider: string; destination: string; connectionId: string },
  isDestinationAsked: boolean,
) {
  const isSame =
    provider === input.provider &&
    (!isDestinationAsked || (destination === input.destination && connectionId === input.connectionId));
  if (isSame) return;
  const ticket = externalKey ?? `a ticket that is being created in ${destination}`;
  throw new ServiceError(
    "conflict",
    `The Finding is already linked to ${TRACKER_LABELS[provider]} (${ticket}). Replace or abandon that work item first.`,
  );
}

/** Creates the ticket immediately. If the tracker refuses it, deletes the work item and throws the refusal. */
async function createOrForget(ctx: Ctx, item: WorkItemRow) {
  const creation = await createTicket(ctx, { ...item, lapsedAt: null });
  if (creation.created || creation.pending) return;
  // If the tracker may have a ticket nevertheless, the failed work item stays, to be retried or abandoned.
  if (creation.error.ambiguous) return;
  await inTransaction(ctx, (tx) => deleteWorkItem(tx, item));
  throw refusal(creation.error, item);
}

/** Converts a tracker's refusal to a reply: a connection that it does not accept is treated as missing. */
export function refusal({ reason, message }: TrackerError, { provider }: Pick<WorkItemRow, "provider">): ServiceError {
  if (reason === "credential") {
    return new ServiceError(
      "not_implemented",
      `The connection to ${TRACKER_LABELS[provider]} is not usable. ${message} Change it under Integrations.`,
    );
  }
  return reason === "destination" ? unprocessable("/destination", message) : new ServiceError("unavailable", message);
}
