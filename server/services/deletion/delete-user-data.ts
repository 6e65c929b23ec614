import { and, eq } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { deletionRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { openReceipt, readReceipt } from "./deletion-receipt";
import { deleteUserDataInput, deletionReply } from "./schemas";

export const deleteUserData = verb(
  {
    name: "deletions.create",
    summary: "Delete all data of one end user: every conversation with this `userId`.",
    description:
      "`userId` is the id that your application gives its user. Runs in the background; poll the receipt until `status` is `completed`. Spans of deleted traces that are sent again are rejected; later conversations of the user are stored as usual.",
    effect: "write",
    capability: "project:admin",
    input: deleteUserDataInput,
    reply: deletionReply,
  },
  async (ctx, { userId }) => {
    const expected = await ctx.db.$count(
      conversations,
      and(eq(conversations.projectId, ctx.projectId), eq(conversations.userId, userId)),
    );
    const receiptId = await openReceipt(ctx, { scope: "user", subject: userId, expected });
    // Neither the audit log nor the event names the user: both outlive the deletion.
    auditNote(ctx, { target: { type: "deletion", id: receiptId }, after: { scope: "user" } });
    await emit(ctx.db, deletionRequested.create({ deletionId: receiptId, projectId: ctx.projectId }));
    return { deletion: (await readReceipt(ctx, receiptId))! };
  },
);
