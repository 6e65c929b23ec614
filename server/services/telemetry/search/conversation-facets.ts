import { and, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { textArray } from "@/db/rows";
import { conversations } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { conversationFilters } from "../schemas";
import { NEWEST } from "./conversation-sorts";
import { HAS_FEEDBACK, matchingConversations } from "./list-conversations";

/** Facets count the newest conversations: exact for small projects, a recent sample for large ones. */
export const COUNTED = 10_000;
/** Limit for searches, whose matches are read one by one. */
const COUNTED_OF_SEARCH = 2000;
const VALUES_SHOWN = 50;

const values = z.array(z.object({ value: z.string(), count: z.int() }));
type Values = z.infer<typeof values>;

const inWords = (count: number) => count.toLocaleString("en");

export const conversationFacets = verb(
  {
    name: "conversations.facets",
    summary: "Count conversations by model, label, Findings, errors and whether they have feedback and a user.",
    description: `Takes the list's filters. Each value is counted with all filters except its own facet's: the number of conversations the list would have with only this value selected. Counts cover the newest ${inWords(COUNTED)} conversations of the time range and user, or for a search (\`q\`) the newest ${inWords(COUNTED_OF_SEARCH)}; \`sampled\` is \`true\` if there are more, and \`counted\` is the number examined. \`total\` is the number that match all filters. Of models and labels, the ${VALUES_SHOWN} most frequent are listed, plus those that the filters name.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: conversationFilters,
    reply: z.object({
      facets: z.object({
        total: z.int(),
        counted: z.int(),
        sampled: z.boolean(),
        withFindings: z.int(),
        withoutFindings: z.int(),
        withErrors: z.int(),
        withoutErrors: z.int(),
        withFeedback: z.int(),
        withoutFeedback: z.int(),
        withUser: z.int(),
        withoutUser: z.int(),
        /** Sorted by count, descending. */
        models: values,
        labels: values,
      }),
    }),
  },
  async (ctx, { model = [], label = [], hasFindings, hasErrors, hasFeedback, hasUser, ...searched }) => {
    const limit = searched.q === undefined ? COUNTED : COUNTED_OF_SEARCH;
    const newest = ctx.db
      .select({
        models: conversations.models,
        labels: conversations.labels,
        hasFindings: sql<boolean>`finding_count > 0`.as("has_findings"),
        hasErrors: sql<boolean>`error_count > 0`.as("has_errors"),
        hasFeedback: sql<boolean>`${HAS_FEEDBACK}`.as("has_feedback"),
        hasUser: sql<boolean>`user_id is not null`.as("has_user"),
      })
      .from(conversations)
      .where(matchingConversations(ctx, searched, { position: undefined, limit: limit + 1 }))
      .orderBy(...NEWEST)
      .limit(limit + 1);
    const facets = {
      model: model.length === 0 ? undefined : sql`models && ${textArray(model)}`,
      label: label.length === 0 ? undefined : sql`labels && ${textArray(label)}`,
      findings: hasFindings === undefined ? undefined : sql`has_findings = ${hasFindings}`,
      errors: hasErrors === undefined ? undefined : sql`has_errors = ${hasErrors}`,
      feedback: hasFeedback === undefined ? undefined : sql`has_feedback = ${hasFeedback}`,
      user: hasUser === undefined ? undefined : sql`has_user = ${hasUser}`,
    };
    /** Returns the filters except those of one facet. */
    const beside = (facet: keyof typeof facets | null): SQL =>
      and(...Object.entries(facets).map(([name, condition]) => (name === facet ? undefined : condition))) ?? sql`true`;
    const counted = (condition: SQL | undefined) => sql`coalesce(sum(count) filter (where ${condition}), 0)::int`;
    const valuesOf = (facet: "model" | "label", column: SQL, chosen: readonly string[]) => sql`(
      select json_agg(shown order by count desc, value) from (
        select value, sum(count)::int as count from alike, unnest(${column}) as value where ${beside(facet)}
        group by value order by (value = any(${textArray(chosen)})) desc, sum(count) desc, value limit ${VALUES_SHOWN}
      ) shown)`;
    const [row] = await ctx.db.execute<{
      counted: number;
      total: number;
      with_findings: number;
      without_findings: number;
      with_errors: number;
      without_errors: number;
      with_feedback: number;
      without_feedback: number;
      with_user: number;
      without_user: number;
      models: Values | null;
      labels: Values | null;
    }>(sql`
      with alike as materialized (
        select models, labels, has_findings, has_errors, has_feedback, has_user, count(*)::int as count
        from ${newest} newest group by 1, 2, 3, 4, 5, 6
      )
      select coalesce(sum(count), 0)::int as counted, ${counted(beside(null))} as total,
             ${counted(and(beside("findings"), sql`has_findings`))} as with_findings,
             ${counted(and(beside("findings"), sql`not has_findings`))} as without_findings,
             ${counted(and(beside("errors"), sql`has_errors`))} as with_errors,
             ${counted(and(beside("errors"), sql`not has_errors`))} as without_errors,
             ${counted(and(beside("feedback"), sql`has_feedback`))} as with_feedback,
             ${counted(and(beside("feedback"), sql`not has_feedback`))} as without_feedback,
             ${counted(and(beside("user"), sql`has_user`))} as with_user,
             ${counted(and(beside("user"), sql`not has_user`))} as without_user,
             ${valuesOf("model", sql`models`, model)} as models, ${valuesOf("label", sql`labels`, label)} as labels
      from alike`);
    const { counted: seen, total, ...rest } = row!;
    return {
      facets: {
        total: Math.min(total, limit),
        counted: Math.min(seen, limit),
        sampled: seen > limit,
        withFindings: rest.with_findings,
        withoutFindings: rest.without_findings,
        withErrors: rest.with_errors,
        withoutErrors: rest.without_errors,
        withFeedback: rest.with_feedback,
        withoutFeedback: rest.without_feedback,
        withUser: rest.with_user,
        withoutUser: rest.without_user,
        models: rest.models ?? [],
        labels: rest.labels ?? [],
      },
    };
  },
);
