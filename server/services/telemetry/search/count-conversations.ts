import { sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { CONVERSATIONS_COUNTED, conversationCountReply, conversationFilters } from "../schemas";
import { type ConversationFilters, matchingConversations } from "./list-conversations";

export const countConversations = verb(
  {
    name: "conversations.count",
    summary: "Count the conversations that match the list's filters.",
    description: `Counting stops at ${CONVERSATIONS_COUNTED.toLocaleString("en")}: \`more\` is \`true\` if more match.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: conversationFilters,
    reply: conversationCountReply,
  },
  async (ctx, filters) => {
    const found = await idsOfMatching(ctx, filters, CONVERSATIONS_COUNTED + 1);
    return { count: Math.min(found.length, CONVERSATIONS_COUNTED), more: found.length > CONVERSATIONS_COUNTED };
  },
);

/** Returns the ids of the newest conversations that match, at most `limit`. */
export async function idsOfMatching(ctx: Ctx, filters: ConversationFilters, limit: number): Promise<string[]> {
  const matching = matchingConversations(ctx, filters, { position: undefined, limit });
  const rows = await ctx.db.execute<{ id: string }>(sql`
    select id from ${conversations} where ${matching} order by started_at desc, id desc limit ${limit}`);
  return rows.map(({ id }) => id);
}
