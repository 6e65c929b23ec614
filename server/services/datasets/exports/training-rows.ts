import { hash } from "node:crypto";
import { and, type SQL, sql } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { type TrainingMethod, trainingLines } from "../formats";
import { readSelected, type Selected, select } from "./read-selected";

export type { TrainingMethod };

type Input = { datasetId: string; version: number; split: "train" | "validation" };

/** The Examples of one split of a version, with counts by usability. */
export type TrainingExamples = {
  selected: Selected;
  examples: number;
  /** With a rejected answer. */
  rejected: number;
  /** With a rejected answer and a better one. */
  paired: number;
  /** The same, and the better one has a non-zero weight. */
  weightedPairs: number;
  /** With an expected answer of non-zero weight. */
  weighted: number;
  /** With any answer of non-zero weight, the expected one or an earlier one. */
  taught: number;
};

const HAS_REJECTED = sql`${exampleRevisions.payload} ? 'rejectedOutput'`;
const HAS_BETTER = sql`${exampleRevisions.payload} #> '{expectedOutput,message}'
  is distinct from ${exampleRevisions.payload} #> '{rejectedOutput,message}'`;
const HAS_WEIGHT = sql`coalesce((${exampleRevisions.payload} #>> '{expectedOutput,weight}')::float8, 1) > 0`;
const IS_PAIR = sql`(${HAS_REJECTED} and ${HAS_BETTER})`;
const TEACHES = sql`(${HAS_WEIGHT} or jsonb_path_exists(${exampleRevisions.payload}, '$.input.messages[*] ? (@.weight > 0)'))`;
const countOf = (condition: SQL) => sql<number>`count(*) filter (where ${condition})::int`;

export async function countTrainingExamples(ctx: Ctx, input: Input): Promise<TrainingExamples> {
  const selected = await select(ctx, input);
  const [counted] = await ctx.db
    .select({
      examples: sql<number>`count(*)::int`,
      rejected: countOf(HAS_REJECTED),
      paired: countOf(IS_PAIR),
      weightedPairs: countOf(sql`(${IS_PAIR} and ${HAS_WEIGHT})`),
      weighted: countOf(HAS_WEIGHT),
      taught: countOf(TEACHES),
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
  for await (const row of readSelected(ctx, selected)) {
    for (const { line, content } of trainingLines(row, method)) {
      yield {
        example_id: row.id,
        example_version: row.version,
        // Hash of the training content, by which equal rows of different Examples are recognized.
        sha256: hash("sha256", canonicalJson(content)),
        ...line,
      };
    }
  }
}
