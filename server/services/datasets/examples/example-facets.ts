import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { datasetIdInput } from "../datasets/schemas";
import { exampleFacetsReply } from "./schemas";

const TAGS_SHOWN = 100;

export const exampleFacets = verb(
  {
    name: "examples.facets",
    summary: "Count a Dataset's Examples by split, source, objective, tag and tokens.",
    description: `Exact. \`tags\` are the ${TAGS_SHOWN} most frequent; \`tokens\` are ranges by their lower bound.`,
    effect: "read",
    capability: "workspace:read",
    input: datasetIdInput,
    reply: exampleFacetsReply,
  },
  async (ctx, { datasetId }) => {
    const { exampleCount } = await readDatasetRow(ctx, datasetId);
    const rows = await ctx.db.execute<{ facet: string; value: string; count: number }>(sql`
      with mine as materialized (
        select facet, value, count from dataset_facets where project_id = ${ctx.projectId} and dataset_id = ${datasetId}
      )
      select * from mine where facet <> 'tag'
      union all (select * from mine where facet = 'tag' order by count desc, value limit ${TAGS_SHOWN})`);
    const of = (facet: string) =>
      rows
        .flatMap((row) => (row.facet === facet ? [{ value: row.value, count: row.count }] : []))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    return {
      facets: {
        total: exampleCount,
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
