import { and, eq } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { revokeKeyTree } from "./revoke-key-tree";
import { revokeApiKeyInput } from "./schemas";

export const revokeApiKey = verb(
  {
    name: "apiKeys.revoke",
    summary: "Revoke an API key. It stops working in every process within five seconds.",
    description:
      "Also revokes all keys created with it, directly or indirectly, and the pending invitations of all of them. Revoking a key again has no effect.",
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
    if (!before) throw notFound("The API key");
    const endedWithIt = await revokeKeyTree(ctx, keyId);
    const [revoked] = await ctx.db.select({ revokedAt: apiKeys.revokedAt }).from(apiKeys).where(mine);
    auditNote(ctx, { before, after: { ...before, ...revoked, endedWithIt } });
    return { ok: true as const };
  },
);
