import { databaseNow } from "@/db/database-now";
import { auditNote } from "@/server/platform/audit";
import { hasCapability, idOfActor } from "@/server/platform/context";
import { impossible, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { issueApiKey } from "./issue-api-key";
import { createApiKeyInput, createdApiKeyReply } from "./schemas";

export const createApiKey = verb(
  {
    name: "apiKeys.create",
    summary: "Create an API key. Its secret is in this answer only.",
    description:
      "A key can be given only what its creator may do. Without `capabilities` it can read everything and send telemetry.",
    capability: "project:admin",
    effect: "write",
    input: createApiKeyInput,
    reply: createdApiKeyReply,
  },
  async (ctx, { name, capabilities, expiresAt }) => {
    const beyond = capabilities.filter((capability) => !hasCapability(ctx, [capability]));
    if (beyond.length)
      throw new ServiceError("forbidden", `You cannot give what you do not hold: ${beyond.join(", ")}.`);
    if (expiresAt != null && expiresAt <= (await databaseNow(ctx.db)))
      throw impossible("/expiresAt", "Must be in the future.");
    const created = await issueApiKey(ctx.db, {
      projectId: ctx.projectId,
      name,
      capabilities,
      expiresAt: expiresAt ?? null,
      createdBy: idOfActor(ctx.actor),
    });
    const { id, status: _, ...after } = created.apiKey;
    auditNote(ctx, { target: { type: "key", id }, after });
    return created;
  },
);
