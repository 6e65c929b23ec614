import { and, asc, eq, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { promptLabels, prompts, promptVersions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { DEFAULT_LABEL, LATEST, type Prompt, type PromptVersion } from "./schemas";

export type PromptRow = typeof prompts.$inferSelect;
type VersionRow = typeof promptVersions.$inferSelect;

const isNamed = ({ projectId }: Ctx, name: string) => and(eq(prompts.projectId, projectId), eq(prompts.name, name));

/** Condition: the row belongs to a prompt. */
export const ofPrompt = (table: typeof promptVersions | typeof promptLabels, { projectId, id }: PromptRow) =>
  and(eq(table.projectId, projectId), eq(table.promptId, id));

export async function readPrompt(ctx: Ctx, name: string): Promise<PromptRow> {
  const [row] = await ctx.db.select().from(prompts).where(isNamed(ctx, name));
  if (!row) throw notFound("The prompt");
  return row;
}

/** Reads a prompt that the transaction is about to change: its versions and labels change under this lock only. */
export async function lockPrompt(tx: Ctx, name: string): Promise<PromptRow> {
  const [row] = await tx.db.select().from(prompts).where(isNamed(tx, name)).for("update");
  if (!row) throw notFound("The prompt");
  return row;
}

/** Returns where the labels of prompts point, by the prompt's id, in the order of their names. */
export async function labelsOf({ db, projectId }: Ctx, promptIds: readonly string[]) {
  const rows = await db
    .select({ promptId: promptLabels.promptId, label: promptLabels.label, version: promptLabels.version })
    .from(promptLabels)
    .where(
      and(eq(promptLabels.projectId, projectId), sql`${promptLabels.promptId} = any(${textArray([...promptIds])})`),
    )
    .orderBy(asc(promptLabels.label));
  return Map.groupBy(rows, ({ promptId }) => promptId);
}

/** Returns the labels of a version, of which `latest` is computed. */
export const labelsAt = (
  { latestVersion }: PromptRow,
  labels: readonly { label: string; version: number }[],
  version: number,
): string[] => [
  ...labels.filter((one) => one.version === version).map(({ label }) => label),
  ...(version === latestVersion ? [LATEST] : []),
];

export const versionJson = (row: VersionRow, labels: string[]): PromptVersion => ({
  version: row.version,
  labels,
  variables: row.variables,
  message: row.message,
  actorKind: row.actorKind,
  actorId: row.actorId,
  createdAt: row.createdAt,
});

type Wanted = { promptName: string; label?: string | undefined; version?: number | undefined };

/** Reads the version of a prompt that was asked for: by number, else by label, else as clients get it by default. */
export async function readVersion(ctx: Ctx, { promptName: name, label, version }: Wanted): Promise<Prompt> {
  const prompt = await readPrompt(ctx, name);
  const labels = (await labelsOf(ctx, [prompt.id])).get(prompt.id) ?? [];
  const chosen = choose(prompt, labels, label, version);
  const [row] = await ctx.db
    .select()
    .from(promptVersions)
    .where(and(ofPrompt(promptVersions, prompt), eq(promptVersions.version, chosen.version)));
  if (!row) throw notFound(`Version ${chosen.version} of the prompt`);
  return {
    name,
    kind: prompt.kind,
    chosenBy: chosen.by,
    label: chosen.by === "label" ? (label ?? DEFAULT_LABEL) : null,
    content: row.content,
    ...versionJson(row, labelsAt(prompt, labels, chosen.version)),
  };
}

function choose(
  { latestVersion }: PromptRow,
  labels: readonly { label: string; version: number }[],
  label: string | undefined,
  version: number | undefined,
): { by: Prompt["chosenBy"]; version: number } {
  if (version !== undefined) return { by: "version", version };
  if (label === LATEST) return { by: "latest", version: latestVersion };
  const pointer = labels.find((one) => one.label === (label ?? DEFAULT_LABEL));
  if (pointer) return { by: "label", version: pointer.version };
  if (label !== undefined) throw notFound(`The label ${label} of the prompt`);
  return { by: "latest", version: latestVersion };
}
