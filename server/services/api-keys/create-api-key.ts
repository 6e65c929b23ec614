import { databaseNow } from "@/db/database-now";
import { auditNote } from "@/server/platform/audit";
import { idOfActor, requireGrantable } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { issueApiKey } from "./issue-api-key";
import { lockOwnKey } from "./lock-own-key";
import { createApiKeyInput, createdApiKeyReply } from "./schemas";

export const createApiKey = verb(
  {
    name: "apiKeys.create",
    summary: "Create an API key. Its secret is returned only in this response.",
    description:
      "A key can be granted only capabilities that its creator has. Without `capabilities` it can read everything and send telemetry. A key created with another key ends with it: when that key is revoked or expires.",
    capability: "project:admin",
    effect: "write",
    input: createApiKeyInput,
    reply: createdApiKeyReply,
  },
  async (ctx, { name, capabilities, expiresAt }) => {
    requireGrantable(ctx, capabilities);
    const { endsAt } = await lockOwnKey(ctx);
    if (expiresAt != null && endsAt !== null && expiresAt > endsAt)
      throw unprocessable("/expiresAt", "A key created with another key cannot outlive it.");
    if (expiresAt != null && expiresAt <= (await databaseNow(ctx.db)))
      throw unprocessable("/expiresAt", "Must be in the future.");
    const created = await issueApiKey(ctx.db, {
      projectId: ctx.projectId,
      name,
      capabilities,
      expiresAt: expiresAt ?? endsAt,
      createdBy: idOfActor(ctx.actor),
    });
    const { id, status: _, ...after } = created.apiKey;
    auditNote(ctx, { target: { type: "key", id }, after });
    return created;
  },
);
