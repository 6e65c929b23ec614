import { and, eq } from "drizzle-orm";
import { ingestReceipts } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { getReceiptInput, receiptReply } from "../schemas";

export const getReceipt = verb(
  {
    name: "receipts.get",
    summary: "Get the receipt of one accepted telemetry batch: what was stored, rejected and masked.",
    description: "The id is in the `x-whetstone-receipt` header of the response to the batch.",
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

/** Adds the derived counts: what was neither stored nor rejected is a duplicate. */
export function receiptJson(row: typeof ingestReceipts.$inferSelect) {
  const accepted = row.received - row.rejected;
  return { ...row, accepted, duplicates: accepted - row.stored };
}
