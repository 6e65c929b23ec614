import { and, eq, sql } from "drizzle-orm";
import { promptLabelEvents, promptLabels, promptVersions } from "@/db/schema";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { watchServedPrompt } from "@/server/services/diagnostics";
import { ofPrompt, type PromptRow } from "./prompts";
import { DEFAULT_LABEL, LABELS_MAX, LATEST } from "./schemas";

/** Refuses the label that is computed. */
export function requireOwnLabel(label: string, path: string): void {
  if (label === LATEST) throw unprocessable(path, "`latest` is the newest version and cannot be moved.");
}

/** Returns where a label of a locked prompt points; null if there is none. */
export async function pointerOf(ctx: Ctx, prompt: PromptRow, label: string): Promise<number | null> {
  const [row] = await ctx.db
    .select({ version: promptLabels.version })
    .from(promptLabels)
    .where(and(ofPrompt(promptLabels, prompt), eq(promptLabels.label, label)));
  return row?.version ?? null;
}

/** Points a label of a locked prompt to a version, or with `null` removes it, and stores the event. Returns where it pointed. */
export async function pointLabel(ctx: Ctx, prompt: PromptRow, label: string, version: number | null) {
  const previous = await pointerOf(ctx, prompt, label);
  if (previous === version) return previous;
  const labels = and(ofPrompt(promptLabels, prompt), eq(promptLabels.label, label));
  if (version === null) await ctx.db.delete(promptLabels).where(labels);
  else {
    if (previous === null && (await ctx.db.$count(promptLabels, ofPrompt(promptLabels, prompt))) >= LABELS_MAX)
      throw new ServiceError("conflict", `The prompt has ${LABELS_MAX} labels. Remove one first.`);
    await ctx.db
      .insert(promptLabels)
      .values({ projectId: ctx.projectId, promptId: prompt.id, label, version })
      .onConflictDoUpdate({
        target: [promptLabels.projectId, promptLabels.promptId, promptLabels.label],
        set: { version: sql`excluded.version` },
      });
    if (label === DEFAULT_LABEL) await watchServed(ctx, prompt, version);
  }
  await ctx.db.insert(promptLabelEvents).values({
    projectId: ctx.projectId,
    id: newId("ple"),
    promptId: prompt.id,
    label,
    fromVersion: previous,
    toVersion: version,
    actorKind: ctx.actor.kind,
    actorId: idOfActor(ctx.actor),
  });
  return previous;
}

async function watchServed(tx: Ctx, prompt: PromptRow, version: number) {
  const [row] = await tx.db
    .select({ content: promptVersions.content })
    .from(promptVersions)
    .where(and(ofPrompt(promptVersions, prompt), eq(promptVersions.version, version)));
  if (row) await watchServedPrompt(tx, { name: prompt.name, version, content: row.content });
}
