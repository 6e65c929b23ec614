import { and, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { datasets, datasetVersions, exampleRevisions } from "@/db/schema";
import { payloadOfStored } from "@/db/schema/columns";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { wordsOf } from "@/server/platform/text/words";
import { attributeTerms } from "../examples/lists/example-terms";
import type { DraftPayload, ExampleRow, Source } from "../formats";

type Selection = {
  datasetId: string;
  version?: number | undefined;
  split?: string | undefined;
  tag?: string | undefined;
  q?: string | undefined;
};
/** A selection of one version of a Dataset. */
export type Selected = { name: string; version: number; condition: SQL };

/** Returns the condition for the selected Examples; throws `not_found` for a Dataset or a version that does not exist. */
export async function select({ db, projectId }: Ctx, input: Selection): Promise<Selected> {
  const [dataset] = await db
    .select({ name: datasets.name, version: datasets.version })
    .from(datasets)
    .where(and(eq(datasets.projectId, projectId), eq(datasets.id, input.datasetId), isNull(datasets.deletedAt)));
  if (!dataset) throw notFound("The Dataset");
  const version = input.version ?? dataset.version;
  if (version !== dataset.version) {
    const isThere = await db.$count(
      datasetVersions,
      and(
        eq(datasetVersions.projectId, projectId),
        eq(datasetVersions.datasetId, input.datasetId),
        eq(datasetVersions.number, version),
      ),
    );
    if (isThere === 0) throw notFound("The version");
  }
  const tags = input.tag === undefined ? [] : [input.tag];
  const terms = [...attributeTerms({ split: input.split, tags }), ...wordsOf([input.q ?? ""])];
  const condition = and(
    eq(exampleRevisions.projectId, projectId),
    eq(exampleRevisions.datasetId, input.datasetId),
    lte(exampleRevisions.fromVersion, version),
    or(isNull(exampleRevisions.toVersion), gt(exampleRevisions.toVersion, version)),
    terms.length === 0 ? undefined : sql`${exampleRevisions.terms} @> ${textArray(terms)}`,
  ) as SQL;
  return { name: dataset.name, version, condition };
}

export const countSelected = ({ db }: Ctx, { condition }: Selected): Promise<number> =>
  db.$count(exampleRevisions, condition);

const knownOf = (source: { [Name in keyof Source]-?: Source[Name] | null }): Source =>
  Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null)) as Source;

/** The page size adapts to the size of Examples, so that pages of large ones fit in memory too. */
const [ROWS_FIRST, ROWS_MIN, ROWS_MAX, PAGE_CHARACTERS] = [100, 10, 1_000, 4_000_000];

/**
 * Yields the Examples of a version in the order of their ids. Between pages it holds neither a transaction nor a connection,
 * however slow the reader is: a closed version never changes, and in an open one each Example is yielded once, as it was when
 * its page was read.
 */
export async function* readSelected(
  { db }: Ctx,
  { condition }: Selected,
  signal?: AbortSignal,
): AsyncGenerator<ExampleRow> {
  let after = "";
  let limit = ROWS_FIRST;
  for (;;) {
    signal?.throwIfAborted();
    const page = await db
      .select({
        id: exampleRevisions.exampleId,
        version: exampleRevisions.fromVersion,
        payload: sql<string>`${exampleRevisions.payload}::text`,
        tags: exampleRevisions.tags,
        split: exampleRevisions.split,
        kind: exampleRevisions.sourceKind,
        externalRef: exampleRevisions.externalRef,
        objective: exampleRevisions.objective,
        conversationId: exampleRevisions.conversationId,
        userId: exampleRevisions.userId,
        turn: exampleRevisions.turn,
        findingId: exampleRevisions.findingId,
      })
      .from(exampleRevisions)
      .where(and(condition, gt(exampleRevisions.exampleId, after)))
      .orderBy(exampleRevisions.exampleId)
      .limit(limit);
    let characters = 0;
    for (const { id, version, payload, tags, split, ...source } of page) {
      characters += payload.length;
      yield {
        id,
        version,
        payload: payloadOfStored(JSON.parse(payload)) as DraftPayload,
        tags,
        split,
        source: knownOf(source),
      };
    }
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = last.id;
    const fitting = Math.floor((page.length * PAGE_CHARACTERS) / Math.max(1, characters));
    limit = Math.max(ROWS_MIN, Math.min(ROWS_MAX, fitting));
  }
}
