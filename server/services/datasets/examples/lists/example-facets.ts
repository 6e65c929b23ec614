import { and, desc, isNull, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../../datasets/read-dataset";
import { type ExampleFilters, exampleFacetsInput, exampleFacetsReply } from "../schemas";
import { TOKEN_RANGE } from "./facet-counts";
import { termsOf } from "./list-examples";
import { ofDataset } from "./read-example";

const TAGS_SHOWN = 100;
/** With filters, only the newest Examples are counted: all of a typical Dataset, a recent sample of a very large one. */
const COUNTED = 10_000;

const inWords = (count: number) => count.toLocaleString("en");

type Count = { facet: string; value: string; count: number };

export const exampleFacets = verb(
  {
    name: "examples.facets",
    summary: "Count a Dataset's Examples by split, source, objective, tag and tokens.",
    description: `Takes the list's filters. Each value is counted with all filters applied except those on its own facet, so its count is what the list would contain with this value alone; \`total\` and \`tokens\` apply all filters. Counts are exact without filters. With filters, they cover the newest ${inWords(COUNTED)} Examples: \`sampled\` is true if there are more, and \`counted\` is how many were examined. \`tags\` are the ${TAGS_SHOWN} most frequent and those that the filters name; \`tokens\` are ranges by their lower bound.`,
    effect: "read",
    capability: "workspace:read",
    input: exampleFacetsInput,
    reply: exampleFacetsReply,
  },
  async (ctx, { datasetId, ...filters }) => {
    const { exampleCount } = await readDatasetRow(ctx, datasetId);
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    const rows = await (isFiltered ? countsUnder(ctx, datasetId, filters) : storedCounts(ctx, datasetId));
    const of = (facet: string) =>
      rows
        .flatMap((row) => (row.facet === facet ? [{ value: row.value, count: row.count }] : []))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    return {
      facets: {
        total: isFiltered ? (of("total")[0]?.count ?? 0) : exampleCount,
        counted: isFiltered ? Math.min(exampleCount, COUNTED) : exampleCount,
        sampled: isFiltered && exampleCount > COUNTED,
        splits: of("split"),
        sources: of("source"),
        objectives: of("objective"),
        tags: of("tag"),
        tokens: of("tokens")
          .map(({ value, count }) => ({ from: Number(value), count }))
          .sort((a, b) => a.from - b.from),
      },
    };
  },
);

async function storedCounts(ctx: Ctx, datasetId: string): Promise<Count[]> {
  const rows = await ctx.db.execute<Count>(sql`
    with mine as materialized (
      select facet, value, count from dataset_facets where project_id = ${ctx.projectId} and dataset_id = ${datasetId}
    )
    select * from mine where facet <> 'tag'
    union all (select * from mine where facet = 'tag' order by count desc, value limit ${TAGS_SHOWN})`);
  return [...rows];
}

async function countsUnder(ctx: Ctx, datasetId: string, filters: Omit<ExampleFilters, "version">): Promise<Count[]> {
  const { split, source, objective, tag, ...searched } = filters;
  const terms = termsOf(searched);
  const newest = ctx.db
    .select({
      split: exampleRevisions.split,
      source: sql`source_kind`.as("source"),
      objective: exampleRevisions.objective,
      tags: exampleRevisions.tags,
      tokens: exampleRevisions.tokens,
      ...(terms.length === 0 ? {} : { terms: exampleRevisions.terms }),
    })
    .from(exampleRevisions)
    .where(and(ofDataset(ctx, datasetId), isNull(exampleRevisions.toVersion)))
    .orderBy(desc(exampleRevisions.ordinal))
    .limit(COUNTED);
  const anyOf = (column: SQL, values: readonly string[] | undefined) =>
    values && sql`${column} = any(${textArray(values)})`;
  const facets = {
    split: anyOf(sql`split`, split),
    source: anyOf(sql`source`, source),
    objective: anyOf(sql`objective`, objective),
    tag: tag && sql`tags && ${textArray(tag)}`,
  };
  /** Returns the filters except that of one facet. */
  const beside = (facet: keyof typeof facets | null): SQL =>
    and(...Object.entries(facets).map(([name, condition]) => (name === facet ? undefined : condition))) ?? sql`true`;
  const valuesOf = (facet: "split" | "source" | "objective") => {
    const column = sql.identifier(facet);
    return sql`select ${facet}::text as facet, ${column} as value, sum(count)::int as count from alike
      where ${beside(facet)} and ${column} is not null group by ${column}`;
  };
  const rows = await ctx.db.execute<Count>(sql`
    with alike as materialized (
      select split, source, objective, tags, range, count(*)::int as count from (
        select *, ${TOKEN_RANGE} as range from ${newest} newest
        where ${terms.length === 0 ? sql`true` : sql`terms @> ${textArray(terms)}`}
      ) found group by 1, 2, 3, 4, 5
    )
    ${sql.join((["split", "source", "objective"] as const).map(valuesOf), sql` union all `)}
    union all (
      select 'tag', value, sum(count)::int from alike, unnest(tags) as value where ${beside("tag")} group by value
      order by (value = any(${textArray(tag ?? [])})) desc, sum(count) desc, value limit ${TAGS_SHOWN})
    union all select 'tokens', range::text, sum(count)::int from alike where ${beside(null)} group by range
    union all select 'total', '', coalesce(sum(count), 0)::int from alike where ${beside(null)}`);
  return [...rows];
}
