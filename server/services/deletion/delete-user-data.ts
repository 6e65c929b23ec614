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
    summary: "Delete everything of one end user: every conversation with this `userId`.",
    description:
      "`userId` is the id that your application gave its user. It runs in the background; read its receipt until `status` is `completed`. Spans of the deleted traces that are sent again are refused; what the user does afterwards is new.",
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
    // Neither the log nor the event names whom it is about: both outlive the deletion.
    auditNote(ctx, { target: { type: "deletion", id: receiptId }, after: { scope: "user" } });
    await emit(ctx.db, deletionRequested.create({ deletionId: receiptId, projectId: ctx.projectId }));
    return { deletion: (await readReceipt(ctx, receiptId))! };
  },
);
