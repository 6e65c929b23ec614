import { and, eq } from "drizzle-orm";
import { accountAuditLog } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
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
    const { rows, nextCursor } = await listPage(
      { name: "activity", table: accountAuditLog, filters: { userId }, limit, cursor },
      (after) =>
        db
          .select()
          .from(accountAuditLog)
          .where(and(eq(accountAuditLog.userId, userId), after)),
    );
    return {
      entries: rows.map((row) => auditEntryOf(row, { actor: null, target: null })),
      pagination: { limit, nextCursor },
    };
  },
);
