import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { changeFindings } from "../findings/review/change-findings";
import { whereTo } from "./connection-for";
import { detach, reattach } from "./detach";
import { refusal, requireUnmerged } from "./hand-off";
import { insertWorkItem, newWorkItemId } from "./insert-work-item";
import { linkedItem, readWorkItem, type WorkItemRow } from "./rows";
import { changedWorkItemReply, replaceWorkItemInput, workItemReply } from "./schemas";
import { createTicket } from "./sync/create-ticket";
import { deleteWorkItem } from "./sync/delete-work-item";
import { workItemAfter } from "./work-item-json";

export const replaceWorkItem = verb(
  {
    name: "workItems.replace",
    summary: "Create a new ticket for a Finding in place of its linked one, which stays as history.",
    description:
      "The body is the same as for creation: the new ticket can be in another tracker. The old ticket is not changed. A work item that is not the Finding's linked one is a 409; where the new ticket is refused (422), the old one stays linked.",
    effect: "write",
    capability: "diagnostics:write",
    input: replaceWorkItemInput,
    reply: workItemReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedWorkItemReply },
  },
  {
    before: async (ctx, { findingId, workItemId, ...input }) => {
      const old = await readWorkItem(ctx, workItemId, findingId);
      const { settings: _, ...to } = await whereTo(ctx, input);
      const item = await inTransaction(ctx, async (tx) => {
        await requireUnmerged(tx, findingId);
        await requireLinked(tx, old);
        const id = newWorkItemId();
        await detach(tx, old, { state: "replaced", replacedById: id });
        return insertWorkItem(tx, { id, findingId, ...to }, { leased: true });
      });
      const creation = await createTicket(ctx, { ...item, lapsedAt: null });
      if (!creation.created && !creation.pending && !creation.error.ambiguous) {
        await inTransaction(ctx, async (tx) => {
          await deleteWorkItem(tx, item);
          await reattach(tx, old);
        });
        throw refusal(creation.error, item);
      }
      return item;
    },
    run: async (ctx, { findingId, workItemId }, { id }) => {
      await changeFindings(ctx, [findingId], { reviewStatus: "confirmed" }, newId("fch"));
      auditNote(ctx, { target: { type: "workItem", id: workItemId }, after: { replacedById: id } });
      return workItemAfter(ctx, id);
    },
  },
);

async function requireLinked(tx: Ctx, { id, findingId }: WorkItemRow) {
  if ((await linkedItem(tx, findingId))?.id === id) return;
  throw new ServiceError("conflict", "This work item is history: the Finding is no longer linked to it.");
}
