import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { detach } from "./detach";
import { lockWorkItem, readWorkItem } from "./rows";
import { changedWorkItemReply, findingWorkItemInput, workItemReply } from "./schemas";
import { workItemAfter } from "./work-item-json";

export const abandonWorkItem = verb(
  {
    name: "workItems.abandon",
    summary: "Detach a Finding from its ticket. Nothing happens to the ticket in the tracker.",
    description: "A work item that was already replaced or abandoned is a 409.",
    effect: "write",
    capability: "diagnostics:write",
    input: findingWorkItemInput,
    reply: workItemReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedWorkItemReply },
  },
  async (ctx, { findingId, workItemId }) => {
    await readWorkItem(ctx, workItemId, findingId);
    const item = await lockWorkItem(ctx, workItemId, findingId);
    if (item.state === "replaced" || item.state === "abandoned") {
      throw new ServiceError("conflict", `This work item is already ${item.state}.`);
    }
    await detach(ctx, item, { state: "abandoned" });
    auditNote(ctx, { target: { type: "workItem", id: workItemId } });
    return workItemAfter(ctx, workItemId);
  },
);
