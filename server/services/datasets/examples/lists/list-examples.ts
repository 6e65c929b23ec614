import { and, desc, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { z } from "zod";
import { textArray } from "@/db/rows";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { codecOf, comparableText } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { wordsOf } from "@/server/platform/text/words";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../../datasets/read-dataset";
import { type ExampleFilters, examplesReply, listExamplesInput } from "../schemas";
import { attributeTerms } from "./example-terms";
import { EXAMPLE_COLUMNS, type ExampleRow, exampleJson, inVersion, ofDataset } from "./read-example";

const ORDINAL_MAX = 2 ** 31 - 1;

export const listExamples = verb(
  {
    name: "examples.list",
    summary: "List the Examples of a Dataset, newest first.",
    description:
      "`q` finds Examples whose messages contain all of its words. Of several splits, sources, tags or objectives, any matches. `version` lists what that version contains; without it, the newest.",
    effect: "read",
    capability: "workspace:read",
    input: listExamplesInput,
    reply: examplesReply,
  },
  async (ctx, { datasetId, limit, cursor, ...filters }) => {
    const dataset = await readDatasetRow(ctx, datasetId);
    const { version } = filters;
    if (version !== undefined && version > dataset.version) throw notFound("The version");
    const { encode, decode } = codecOf("examples", { project: ctx.projectId, datasetId, ...filters }, position);
    const after = cursor === undefined ? undefined : decode(cursor);
    const page = { after, limit: limit + 1 };
    const found =
      version === undefined || version === dataset.version
        ? await currentExamples(ctx, datasetId, filters, page)
        : await examplesOfVersion(ctx, datasetId, { ...filters, version }, page);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      examples: shown.map(exampleJson),
      nextCursor: found.length > limit && last ? encode([last.ordinal, last.id]) : null,
    };
  },
);

/** Where a page ended. Ids sort like ordinals, except for clock differences between processes. */
const position = z.tuple([z.int().min(1).max(ORDINAL_MAX), comparableText]);
type Position = z.infer<typeof position>;
type Page = { after: Position | undefined; limit: number };

/** An Example must have every term in `all`, and one of each list in `oneOf`. */
type Terms = { all: readonly string[]; oneOf: readonly (readonly string[])[] };

/** Returns the terms of the single-valued filters. */
export const termsOf = ({ q, conversationId, findingId }: ExampleFilters): string[] => [
  ...attributeTerms({ conversationId, findingId }),
  ...(q === undefined ? [] : wordsOf([q])),
];

function allTermsOf(filters: ExampleFilters): Terms {
  const { split = [], source = [], objective = [], tag = [] } = filters;
  const chosen = [
    split.flatMap((one) => attributeTerms({ split: one })),
    source.flatMap((one) => attributeTerms({ source: one })),
    objective.flatMap((one) => attributeTerms({ objective: one })),
    attributeTerms({ tags: tag }),
  ];
  return {
    all: [...termsOf(filters), ...chosen.flatMap((terms) => (terms.length === 1 ? terms : []))],
    oneOf: chosen.filter((terms) => terms.length > 1),
  };
}

/** Condition: an array contains these terms, in the form of `keyOf`; `undefined` without terms. */
const hasTerms = (array: SQLWrapper, { all, oneOf }: Terms, keyOf = (terms: SQL) => terms): SQL | undefined =>
  and(
    all.length === 0 ? undefined : sql`${array} @> ${keyOf(textArray(all))}`,
    ...oneOf.map((terms) => sql`${array} && ${keyOf(textArray(terms))}`),
  );

/** So many of the newest Examples are read before the index is used: enough to find a common word. */
const NEWEST = 400;
/** Ordinals per run of the index. Must match the function `search_keys` and the index. */
const RUN = 8_640;

const newestFirst = async (
  ctx: Ctx,
  where: SQL | undefined,
  limit: number,
  by: typeof exampleRevisions.ordinal | typeof exampleRevisions.exampleId = exampleRevisions.ordinal,
): Promise<ExampleRow[]> =>
  ctx.db.select(EXAMPLE_COLUMNS).from(exampleRevisions).where(where).orderBy(desc(by)).limit(limit);

async function currentExamples(ctx: Ctx, datasetId: string, filters: ExampleFilters, { after, limit }: Page) {
  const before = after?.[0] ?? ORDINAL_MAX;
  const current = and(ofDataset(ctx, datasetId), isNull(exampleRevisions.toVersion));
  const terms = allTermsOf(filters);
  const isBefore = lt(exampleRevisions.ordinal, before);
  const has = hasTerms(sql`terms`, terms);
  if (has === undefined) return newestFirst(ctx, and(current, isBefore), limit);
  const newest = await ctx.db.execute<{ ordinal: number; has: boolean }>(sql`
    select ordinal, ${has} as has from (
      select ordinal, terms from example_revisions where ${current} and ${isBefore} order by ordinal desc limit ${sql.raw(String(NEWEST))}
    ) newest order by ordinal desc`);
  const found = newest.flatMap(({ ordinal, has }) => (has ? [ordinal] : [])).slice(0, limit);
  if (found.length < limit && newest.length === NEWEST) {
    const rest = { before: newest.at(-1)!.ordinal, limit: limit - found.length };
    found.push(...(await ordinalsByIndex(ctx, datasetId, terms, rest)));
  }
  const ordinals = sql`${sql.param(found)}::int[]`;
  return newestFirst(ctx, and(current, sql`${exampleRevisions.ordinal} = any(${ordinals})`), limit);
}

/** Walks back run by run until the page is full. A word without matches costs one lookup per run. */
async function ordinalsByIndex(
  ctx: Ctx,
  datasetId: string,
  terms: Terms,
  { before, limit }: { before: number; limit: number },
): Promise<number[]> {
  const inRun = hasTerms(
    sql`search_keys(dataset_id, ordinal::bigint * 10000, terms)`,
    terms,
    (wanted) => sql`search_keys(${datasetId}, run * ${RUN * 10_000}::bigint, ${wanted})`,
  );
  // OFFSET 0 keeps the planner from merging the index condition with the other conditions.
  const rows = await ctx.db.execute<{ ordinal: number }>(sql`
    select found.ordinal from generate_series(${Math.floor((before - 1) / RUN)}::bigint, 0, -1) run cross join lateral (
      select s.ordinal from (
        select project_id, dataset_id, ordinal from example_revisions
        where to_version is null and ${inRun}
        offset 0
      ) s
      where s.project_id = ${ctx.projectId} and s.dataset_id = ${datasetId} and s.ordinal < ${before}
      order by s.ordinal desc limit ${limit}
    ) found limit ${limit}`);
  return rows.map(({ ordinal }) => ordinal);
}

/** Uses the primary key: the index by ordinal covers only current revisions. */
async function examplesOfVersion(
  ctx: Ctx,
  datasetId: string,
  filters: ExampleFilters & { version: number },
  { after, limit }: Page,
) {
  return newestFirst(
    ctx,
    and(
      ofDataset(ctx, datasetId),
      inVersion(filters.version),
      after && lt(exampleRevisions.exampleId, after[1]),
      hasTerms(exampleRevisions.terms, allTermsOf(filters)),
    ),
    limit,
    exampleRevisions.exampleId,
  );
}
