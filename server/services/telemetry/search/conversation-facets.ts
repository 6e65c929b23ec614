import { sql } from "drizzle-orm";
import { z } from "zod";
import { queryUnixMs } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";

/** Facets count the newest conversations: exact for small projects, a recent sample for large ones. */
const COUNTED = 10_000;
const MODELS_SHOWN = 50;
const LABELS_SHOWN = 50;

const values = z.array(z.object({ value: z.string(), count: z.int() }));
type Values = z.infer<typeof values>;

export const conversationFacets = verb(
  {
    name: "conversations.facets",
    summary: "Count conversations by model, label, Findings and errors.",
    description: `Counts the newest ${COUNTED.toLocaleString("en")} conversations of the time range; \`sampled\` says whether there are more.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: z.strictObject({ startedAfter: queryUnixMs.optional(), startedBefore: queryUnixMs.optional() }),
    reply: z.object({
      facets: z.object({
        total: z.int(),
        sampled: z.boolean(),
        withFindings: z.int(),
        withErrors: z.int(),
        /** Sorted by count, descending. */
        models: values,
        labels: values,
      }),
    }),
  },
  async (ctx, { startedAfter = 0, startedBefore = Number.MAX_SAFE_INTEGER }) => {
    const rows = await ctx.db.execute<{
      total: number;
      with_findings: number;
      with_errors: number;
      models: Values | null;
      labels: Values | null;
    }>(sql`
      with alike as (
        select models, labels, count(*)::int as count, count(*) filter (where finding_count > 0)::int as with_findings,
               count(*) filter (where error_count > 0)::int as with_errors
        from (
          select models, labels, finding_count, error_count from conversations
          where project_id = ${ctx.projectId} and started_at >= ${startedAfter}::bigint and started_at < ${startedBefore}::bigint
          order by started_at desc, id desc limit ${COUNTED + 1}
        ) newest group by models, labels
      ),
      by_model as (
        select model as value, sum(count)::int as count from alike, unnest(models) as model
        group by model order by sum(count) desc, model limit ${MODELS_SHOWN}
      ),
      by_label as (
        select label as value, sum(count)::int as count from alike, unnest(labels) as label
        group by label order by sum(count) desc, label limit ${LABELS_SHOWN}
      )
      select coalesce(sum(count), 0)::int as total, coalesce(sum(with_findings), 0)::int as with_findings,
             coalesce(sum(with_errors), 0)::int as with_errors, (select json_agg(by_model) from by_model) as models,
             (select json_agg(by_label) from by_label) as labels
      from alike`);
    const row = rows[0]!;
    return {
      facets: {
        total: Math.min(row.total, COUNTED),
        sampled: row.total > COUNTED,
        withFindings: row.with_findings,
        withErrors: row.with_errors,
        models: row.models ?? [],
        labels: row.labels ?? [],
      },
    };
  },
);
