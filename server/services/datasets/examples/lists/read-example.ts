import { and, eq, gt, isNull, lte, or, type SQL } from "drizzle-orm";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { ChatPayload } from "../../chat-payload/schemas";
import { readDatasetRow } from "../../datasets/read-dataset";
import type { Example } from "../schemas";

const { exampleId, datasetId, fromVersion, payload, tags, split, sourceKind, externalRef, objective } =
  exampleRevisions;
const { conversationId, turn, findingId, reviewerId, contentHash, tokens, createdAt, updatedAt, ordinal } =
  exampleRevisions;

/** The public columns of an Example, without its search terms. */
export const EXAMPLE_COLUMNS = {
  id: exampleId,
  datasetId,
  ordinal,
  version: fromVersion,
  payload,
  tags,
  split,
  sourceKind,
  externalRef,
  objective,
  conversationId,
  turn,
  findingId,
  reviewerId,
  contentHash,
  tokens,
  createdAt,
  updatedAt,
};
type Revision = typeof exampleRevisions.$inferSelect;
export type ExampleRow = Pick<Revision, Exclude<keyof typeof EXAMPLE_COLUMNS, "id" | "version">> & {
  id: string;
  version: number;
};

export const exampleJson = ({ sourceKind: kind, externalRef: ref, ordinal: _, ...row }: ExampleRow): Example => ({
  ...row,
  payload: row.payload as ChatPayload,
  source: { kind, externalRef: ref },
});

/** Condition: a revision of the Dataset. */
export const ofDataset = (ctx: Ctx, id: string) =>
  and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.datasetId, id));

/** Condition: revisions that a version contains. */
export const inVersion = (number: number): SQL | undefined =>
  and(
    lte(exampleRevisions.fromVersion, number),
    or(isNull(exampleRevisions.toVersion), gt(exampleRevisions.toVersion, number)),
  );

/** Returns a current Example, or throws a 404. */
export async function readExample(ctx: Ctx, given: { datasetId: string; exampleId: string }): Promise<Example> {
  await readDatasetRow(ctx, given.datasetId);
  const [row] = await ctx.db
    .select(EXAMPLE_COLUMNS)
    .from(exampleRevisions)
    .where(
      and(
        ofDataset(ctx, given.datasetId),
        eq(exampleRevisions.exampleId, given.exampleId),
        isNull(exampleRevisions.toVersion),
      ),
    );
  if (!row) throw notFound("The Example");
  return exampleJson(row);
}
