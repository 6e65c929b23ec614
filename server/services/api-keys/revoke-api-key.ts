import { and, eq, sql } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { revokeApiKeyInput } from "./schemas";
import { forgetKey } from "./verify-api-key";

export const revokeApiKey = verb(
  {
    name: "apiKeys.revoke",
    summary: "Revoke an API key. It stops working within five seconds, in every process.",
    description: "Revoking a key again changes nothing.",
    capability: "project:admin",
    effect: "write",
    input: revokeApiKeyInput,
    reply: okReply,
  },
  async (ctx, { keyId }) => {
    const [revoked] = await ctx.db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${Date.now()})` })
      .where(and(eq(apiKeys.projectId, ctx.projectId), eq(apiKeys.id, keyId)))
      .returning({ id: apiKeys.id });
    if (!revoked) throw notFound("The API key");
    forgetKey(keyId);
    return { ok: true as const };
  },
);
