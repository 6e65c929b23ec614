import { and, desc, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { conversations, ingestReceipts } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { receipt } from "../schemas";
import { receiptJson } from "./get-receipt";

export const telemetryStatus = verb(
  {
    name: "telemetry.status",
    summary: "Get whether telemetry has arrived, with the latest receipt and conversation.",
    description:
      "`receivedAt` and `lastReceipt` are of the last batch that stored anything, and `null` before the first. `lastConversationId` is `null` until its spans have become a conversation.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: z.strictObject({}),
    reply: z.object({
      status: z.object({
        receivedAt: z.number().nullable(),
        lastReceipt: receipt.nullable(),
        lastConversationId: z.string().nullable(),
        /** Whether the project has any conversation. */
        hasConversations: z.boolean(),
      }),
    }),
  },
  async (ctx) => {
    const [lastReceipt] = await ctx.db
      .select()
      .from(ingestReceipts)
      .where(and(eq(ingestReceipts.projectId, ctx.projectId), gt(ingestReceipts.stored, 0)))
      .orderBy(desc(ingestReceipts.createdAt), desc(ingestReceipts.id))
      .limit(1);
    const [fromReceipt] = lastReceipt
      ? await ctx.db.execute<{ conversation_id: string | null }>(sql`
          select conversation_id from traces
          where project_id = ${ctx.projectId} and id = any(${sql.param(lastReceipt.traceIds)}::text[])
            and conversation_id is not null
          limit 1`)
      : [];
    const [newest] = await ctx.db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.projectId, ctx.projectId))
      .orderBy(desc(conversations.startedAt), desc(conversations.id))
      .limit(1);
    return {
      status: {
        receivedAt: lastReceipt?.createdAt ?? null,
        lastReceipt: lastReceipt ? receiptJson(lastReceipt) : null,
        lastConversationId: fromReceipt?.conversation_id ?? null,
        hasConversations: newest !== undefined,
      },
    };
  },
);
