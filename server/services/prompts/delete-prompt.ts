import { and, eq } from "drizzle-orm";
import { prompts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { lockPrompt } from "./prompts";
import { promptNameInput } from "./schemas";

export const deletePrompt = verb(
  {
    name: "prompts.delete",
    summary: "Delete a prompt with all its versions and labels.",
    description:
      "Clients that read it get a 404 from then on. Recorded calls keep its name and version; a prompt created later under the same name starts again at version 1.",
    effect: "write",
    capability: "project:models:manage",
    input: promptNameInput,
    reply: okReply,
  },
  async (ctx, { promptName: name }) => {
    const { id, kind, latestVersion } = await lockPrompt(ctx, name);
    await ctx.db.delete(prompts).where(and(eq(prompts.projectId, ctx.projectId), eq(prompts.id, id)));
    auditNote(ctx, { target: { type: "prompt", id }, before: { name, kind, latestVersion }, after: null });
    return { ok: true as const };
  },
);
