import { and, desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { apiKeys } from "@/db/schema";
import { cursorFor, pageOf } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { apiKeysReply, listApiKeysInput } from "./schemas";
import { shownKey } from "./shown-key";

const position = z.tuple([z.number(), z.string()]);

export const listApiKeys = verb(
  {
    name: "apiKeys.list",
    summary: "The project's API keys, newest first, revoked ones too. Never their secrets.",
    capability: "project:admin",
    effect: "read",
    input: listApiKeysInput,
    reply: apiKeysReply,
  },
  async (ctx, { limit, cursor }) => {
    const cursors = cursorFor<[createdAt: number, id: string]>("apiKeys", {});
    const after = cursor === undefined ? undefined : cursors.decode(cursor, position);
    const found = await ctx.db
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.projectId, ctx.projectId),
          after && sql`(${apiKeys.createdAt}, ${apiKeys.id}) < (${after[0]}::bigint, ${after[1]})`,
        ),
      )
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(limit + 1);
    const { rows, nextCursor } = pageOf(
      found,
      limit,
      (row) => [row.createdAt, row.id] as [number, string],
      cursors.encode,
    );
    return { apiKeys: rows.map((row) => shownKey(row)), pagination: { limit, nextCursor } };
  },
);
