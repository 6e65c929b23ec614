import { and, eq } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { apiKeys } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { apiKeyJson } from "./api-key-json";
import { apiKeysReply, listApiKeysInput } from "./schemas";

export const listApiKeys = verb(
  {
    name: "apiKeys.list",
    summary: "List the project's API keys, including revoked ones, newest first. Never their secrets.",
    description:
      "A key's `hint` is the end of its secret, which is shown only once, when the key is created. `status` says whether it still works; `lastUsedAt` is accurate to the minute.",
    capability: "project:admin",
    effect: "read",
    input: listApiKeysInput,
    reply: apiKeysReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "api-keys", table: apiKeys, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.projectId, ctx.projectId), after)),
    );
    const now = await databaseNow(ctx.db);
    return { apiKeys: rows.map((row) => apiKeyJson(row, now)), pagination: { limit, nextCursor } };
  },
);
