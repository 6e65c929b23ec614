import { hash } from "node:crypto";
import { and, type SQL, sql } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import { canonicalJson } from "@/server/platform/canonical-json";
import type { Ctx } from "@/server/platform/context";
import { JSON_FORMATS } from "../formats";
import { readSelected, type Selected, select } from "./read-selected";

/** The export format that each method trains on. */
const FORMAT_OF = { sft: "trl_sft", dpo: "trl_dpo", orpo: "trl_dpo", kto: "trl_kto" } as const;
export type TrainingMethod = keyof typeof FORMAT_OF;

type Asked = { datasetId: string; version: number; split: "train" | "validation" };

/** The Examples of one split of a version, with counts by usability. */
export type TrainingExamples = {
  selected: Selected;
  examples: number;
  /** With a rejected answer. */
  rejected: number;
  /** With a rejected answer and a better one. */
  paired: number;
  /** With an answer of non-zero weight. */
  weighted: number;
  /** With either, or both. */
  useful: number;
};

const HAS_REJECTED = sql`${exampleRevisions.payload} ? 'rejectedOutput'`;
const HAS_BETTER = sql`${exampleRevisions.payload} #> '{expectedOutput,message}'
  is distinct from ${exampleRevisions.payload} #> '{rejectedOutput,message}'`;
const HAS_WEIGHT = sql`coalesce((${exampleRevisions.payload} #>> '{expectedOutput,weight}')::float8, 1) > 0`;
const countOf = (condition: SQL) => sql<number>`count(*) filter (where ${condition})::int`;

export async function countTrainingExamples(ctx: Ctx, asked: Asked): Promise<TrainingExamples> {
  const selected = await select(ctx, asked);
  const [counted] = await ctx.db
    .select({
      examples: sql<number>`count(*)::int`,
      rejected: countOf(HAS_REJECTED),
      paired: countOf(sql`(${HAS_REJECTED} and ${HAS_BETTER})`),
      weighted: countOf(HAS_WEIGHT),
      useful: countOf(sql`(${HAS_REJECTED} or ${HAS_WEIGHT})`),
    })
    .from(exampleRevisions)
    .where(selected.condition);
  return { selected, ...(counted as Omit<TrainingExamples, "selected">) };
}

/** Returns whether a closed version still has the counted Examples: only an erasure removes any. */
export const isUnchanged = async ({ db }: Ctx, { selected, examples }: TrainingExamples): Promise<boolean> =>
  (await db.$count(exampleRevisions, and(selected.condition))) === examples;

/** Yields the rows that a method trains on, in the order of the Example ids. */
export async function* readTrainingRows(ctx: Ctx, { selected }: TrainingExamples, method: TrainingMethod) {
  const write = JSON_FORMATS[FORMAT_OF[method]];
  for await (const row of readSelected(ctx, selected)) {
    const written = write(row);
    if ("reason" in written) continue;
    for (const line of written.lines) {
      yield {
        example_id: row.id,
        example_version: row.version,
        // Hash of the training content, by which equal rows of different Examples are recognized.
        sha256: hash("sha256", canonicalJson(line)),
        ...(line as object),
      };
    }
  }
}
