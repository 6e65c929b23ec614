import { and, eq } from "drizzle-orm";
import { ingestReceipts } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { getReceiptInput, receiptReply } from "../schemas";

export const getReceipt = verb(
  {
    name: "receipts.get",
    summary: "Read what became of one accepted batch of telemetry.",
    description: "The id is in the `x-whetstone-receipt` header of the answer to the batch.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getReceiptInput,
    reply: receiptReply,
  },
  async (ctx, { receiptId }) => {
    const [row] = await ctx.db
      .select()
      .from(ingestReceipts)
      .where(and(eq(ingestReceipts.projectId, ctx.projectId), eq(ingestReceipts.id, receiptId)));
    if (!row) throw notFound("Receipt");
    return { receipt: receiptJson(row) };
  },
);

/** What is neither stored nor rejected was there already. */
export function receiptJson(row: typeof ingestReceipts.$inferSelect) {
  const accepted = row.received - row.rejected;
  return { ...row, accepted, duplicates: accepted - row.stored };
}
