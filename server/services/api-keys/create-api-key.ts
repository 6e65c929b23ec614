import { databaseNow } from "@/db/database-now";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { impossible, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { issueApiKey } from "./issue-api-key";
import { createApiKeyInput, createdApiKeyReply } from "./schemas";

const whoCreates = ({ actor }: Ctx) =>
  actor.kind === "user" ? actor.userId : actor.kind === "apiKey" ? actor.keyId : null;

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
      createdBy: whoCreates(ctx),
    });
    const { id, status: _, ...after } = created.apiKey;
    auditNote(ctx, { target: { type: "key", id }, after });
    return created;
  },
);
