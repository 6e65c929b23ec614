import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { prompts, promptVersions } from "@/db/schema";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { pointLabel, requireOwnLabel } from "./point-label";
import { labelsAt, labelsOf, type PromptRow, versionJson } from "./prompts";
import { kindOf, type PromptContent, VARIABLES_MAX, variablesIn } from "./schemas";

type NewVersion = { content: PromptContent; message?: string | undefined; labels: readonly string[] };

/** Adds the version that a locked prompt names as its newest, and moves labels to it. */
export async function writeVersion(ctx: Ctx, prompt: PromptRow, { content, message, labels }: NewVersion) {
  if (kindOf(content) !== prompt.kind)
    throw unprocessable(
      "/content",
      prompt.kind === "text"
        ? "The prompt is a text. Send its content as text, or create another prompt."
        : "The prompt is a chat. Send its content as messages, or create another prompt.",
    );
  const variables = variablesIn(content);
  if (variables.length > VARIABLES_MAX)
    throw unprocessable("/content", `It has ${variables.length} variables. At most ${VARIABLES_MAX} are possible.`);
  for (const [at, label] of labels.entries()) requireOwnLabel(label, `/labels/${at}`);
  const [row] = await ctx.db
    .insert(promptVersions)
    .values({
      projectId: ctx.projectId,
      promptId: prompt.id,
      version: prompt.latestVersion,
      content,
      variables,
      message: message ?? null,
      actorKind: ctx.actor.kind,
      actorId: idOfActor(ctx.actor),
    })
    .returning();
  if (!row) throw new Error("The insert of a version returned no row.");
  for (const label of new Set(labels)) await pointLabel(ctx, prompt, label, row.version);
  await touch(ctx, prompt);
  const pointers = (await labelsOf(ctx, [prompt.id])).get(prompt.id) ?? [];
  return { name: prompt.name, kind: prompt.kind, ...versionJson(row, labelsAt(prompt, pointers, row.version)) };
}

/** Stores the newest version's number, and that the prompt has changed. */
const touch = ({ db, projectId }: Ctx, { id, latestVersion }: PromptRow) =>
  db
    .update(prompts)
    .set({ latestVersion, updatedAt: NOW })
    .where(and(eq(prompts.projectId, projectId), eq(prompts.id, id)));
