import { and, eq } from "drizzle-orm";
import { accountAuditLog } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { accountVerb } from "@/server/platform/verb";
import { auditEntryOf } from "./entry";
import { auditReply, listMyActivityInput } from "./schemas";

export const listMyActivity = accountVerb(
  {
    name: "account.activity",
    summary: "List the activity of your own account (passwords, sessions), newest first.",
    effect: "read",
    input: listMyActivityInput,
    reply: auditReply,
  },
  async ({ db, userId }, { limit, cursor }) => {
    const list = newestFirst({
      name: "activity",
      filters: { userId },
      time: accountAuditLog.createdAt,
      id: accountAuditLog.id,
      limit,
      cursor,
    });
    const found = await db
      .select()
      .from(accountAuditLog)
      .where(and(eq(accountAuditLog.userId, userId), list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.createdAt, row.id]);
    return {
      entries: rows.map((row) => auditEntryOf(row, { actor: null, target: null })),
      pagination: { limit, nextCursor },
    };
  },
);
