import { and, eq } from "drizzle-orm";
import { promptLabelEvents } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { actorNames } from "./actor-names";
import { readPrompt } from "./prompts";
import { labelEventsReply, listPromptVersionsInput } from "./schemas";

export const listLabelEvents = verb(
  {
    name: "prompts.labelEvents",
    summary: "List when labels of a prompt moved, newest first.",
    description: "Each with where the label pointed before and after, and who moved it.",
    effect: "read",
    capability: "workspace:read",
    input: listPromptVersionsInput,
    reply: labelEventsReply,
  },
  async (ctx, { promptName, limit, cursor }) => {
    const prompt = await readPrompt(ctx, promptName);
    const { rows, nextCursor } = await listPage(
      {
        name: "prompt-label-events",
        table: promptLabelEvents,
        filters: { project: ctx.projectId, prompt: prompt.id },
        limit,
        cursor,
      },
      (after) =>
        ctx.db
          .select()
          .from(promptLabelEvents)
          .where(and(eq(promptLabelEvents.projectId, ctx.projectId), eq(promptLabelEvents.promptId, prompt.id), after)),
    );
    const nameOf = await actorNames(ctx, rows);
    return {
      events: rows.map((row) => ({ ...row, actorName: nameOf(row.actorId) })),
      pagination: { limit, nextCursor },
    };
  },
);
