import { NOW } from "@/db/now";
import { savedViews } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { audited, checkedQuery, ownerOf, requireRoom, savedViewJson, withUniqueName } from "./saved-views";
import { createSavedViewInput, savedViewReply } from "./schemas";

export const createSavedView = verb(
  {
    name: "savedViews.create",
    summary: "Save filters, order and hidden columns of a list under a name.",
    description:
      "Without `shared` the view is the member's own and nobody else sees it. A shared one requires `diagnostics:write`. A parameter that the list does not have, or a name that is taken, is a 422.",
    effect: "write",
    capability: "diagnostics:read",
    input: createSavedViewInput,
    reply: savedViewReply,
  },
  async (ctx, { list, name, query, shared }) => {
    const userId = ownerOf(ctx, shared);
    const checked = checkedQuery(list, query);
    await requireRoom(ctx, list, userId);
    const [row] = await withUniqueName(() =>
      ctx.db
        .insert(savedViews)
        .values({ projectId: ctx.projectId, id: newId("sv"), list, userId, name, query: checked, updatedAt: NOW })
        .returning(),
    );
    if (!row) throw new Error("The insert of a view returned no row.");
    auditNote(ctx, { target: { type: "savedView", id: row.id }, after: audited(row) });
    return { savedView: savedViewJson(row) };
  },
);
