import { desc, eq } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { isAdjudication } from "../adjudicator";
import { readInPieces } from "../windows/read-in-pieces";

/**
 * Yields the newest conversations that can be read whole, as many at a time as fit into memory, until `end` (of
 * `performance.now()`). Questions to the adjudicator and conversations that are too long are left out.
 */
export async function* readNewestWhole(ctx: Ctx, { limit, end }: { limit: number; end: number }) {
  const page = await ctx.db
    .select({ id: conversations.id, lastActivityAt: conversations.lastActivityAt })
    .from(conversations)
    .where(eq(conversations.projectId, ctx.projectId))
    .orderBy(desc(conversations.startedAt), desc(conversations.id))
    .limit(limit);
  for await (const { whole } of readInPieces(ctx, page, end)) {
    yield { whole: whole.filter((one) => !isAdjudication(ctx.projectId, one)) };
  }
}
