import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { apiKeys } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
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
    const mine = and(eq(apiKeys.projectId, ctx.projectId), eq(apiKeys.id, keyId));
    const [before] = await ctx.db
      .select({ name: apiKeys.name, hint: apiKeys.hint, revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(mine)
      .for("update");
    const [revoked] = await ctx.db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${NOW})` })
      .where(mine)
      .returning({ revokedAt: apiKeys.revokedAt });
    if (!before || !revoked) throw notFound("The API key");
    auditNote(ctx, { before, after: { ...before, ...revoked } });
    forgetKey(keyId);
    return { ok: true as const };
  },
);
