import { and, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { textArray } from "@/db/rows";
import { conversations, occurrences } from "@/db/schema";
import { hasCapability } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { type ConversationTrait, conversationFilters } from "../schemas";
import { NEWEST } from "./conversation-sorts";
import { HAS_FEEDBACK, HAS_THUMBS_DOWN, matchingConversations } from "./list-conversations";
import { traitTerms, traitValues } from "./search-terms";

/** Facets count the newest conversations: exact for small projects, a recent sample for large ones. */
export const COUNTED = 10_000;
/** Limit for searches, whose matches are read one by one. */
const COUNTED_OF_SEARCH = 2000;
const VALUES_SHOWN = 50;
const FINDINGS_SHOWN = 20;

const values = z.array(z.object({ value: z.string(), count: z.int() }));
const facets = z.object({
  total: z.int(),
  counted: z.int(),
  sampled: z.boolean(),
  withFindings: z.int(),
  withoutFindings: z.int(),
  withErrors: z.int(),
  withoutErrors: z.int(),
  withFeedback: z.int(),
  withoutFeedback: z.int(),
  withThumbsDown: z.int(),
  withUser: z.int(),
  withoutUser: z.int(),
  /** Sorted by count, descending. */
  models: values,
  labels: values,
  providers: values,
  versions: values,
  tools: values,
  prompts: values,
  /** ISO 639-1 codes of what the users write in; conversations too short to tell have none. */
  arms: values,
  languages: values,
  findings: z
    .array(z.object({ id: z.string(), title: z.string(), count: z.int() }))
    .nullable()
    .describe("Findings with the most of the conversations that match; `null` for callers that may not read Findings."),
});
type Facets = z.infer<typeof facets>;
/** What is aggregated over no rows is `null`. */
type Row = { [Name in keyof Facets]: Facets[Name] extends number ? number : Facets[Name] | null };

const inWords = (count: number) => count.toLocaleString("en");

export const conversationFacets = verb(
  {
    name: "conversations.facets",
    summary:
      "Count conversations by model, provider, version, label, tool, prompt, language, Finding, errors and whether they have feedback and a user.",
    description: `Takes the list's filters. Each value is counted with all filters except its own facet's: the number of conversations the list would have with only this value selected. Counts cover the newest ${inWords(COUNTED)} conversations of the time range and user, or for a search (\`q\`) the newest ${inWords(COUNTED_OF_SEARCH)}; \`sampled\` is \`true\` if there are more, and \`counted\` is the number examined. \`total\` is the number that match all filters. Of models, labels, providers, versions, tools, prompts, arms and languages, the ${VALUES_SHOWN} most frequent are listed, plus those that the filters name; of Findings, the ${FINDINGS_SHOWN} with the most of the conversations that match all filters, without dismissed ones. \`findings\` is \`null\` for callers that may not read Findings.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: conversationFilters,
    reply: z.object({ facets }),
  },
  async (ctx, { model = [], label = [], provider, version, tool, prompt, arm, language, ...filters }) => {
    const { hasFindings, hasErrors, hasFeedback, hasThumbsDown, hasUser, ...searched } = filters;
    const limit = searched.q === undefined ? COUNTED : COUNTED_OF_SEARCH;
    const newest = ctx.db
      .select({
        id: conversations.id,
        models: conversations.models,
        labels: conversations.labels,
        traits: conversations.traits,
        hasFindings: sql<boolean>`finding_count > 0`.as("has_findings"),
        hasErrors: sql<boolean>`error_count > 0`.as("has_errors"),
        hasFeedback: sql<boolean>`${HAS_FEEDBACK}`.as("has_feedback"),
        hasThumbsDown: sql<boolean>`${HAS_THUMBS_DOWN}`.as("has_thumbs_down"),
        hasUser: sql<boolean>`user_id is not null`.as("has_user"),
      })
      .from(conversations)
      .where(matchingConversations(ctx, searched, { position: undefined, limit: limit + 1 }))
      .orderBy(...NEWEST)
      .limit(limit + 1);
    const traits = { provider, version, tool, prompt, arm, language };
    const hasTrait = (dimension: ConversationTrait) =>
      traits[dimension] && sql`traits && ${textArray(traitTerms(dimension, traits[dimension]))}`;
    const chosen = {
      model: model.length === 0 ? undefined : sql`models && ${textArray(model)}`,
      label: label.length === 0 ? undefined : sql`labels && ${textArray(label)}`,
      provider: hasTrait("provider"),
      version: hasTrait("version"),
      tool: hasTrait("tool"),
      prompt: hasTrait("prompt"),
      arm: hasTrait("arm"),
      language: hasTrait("language"),
      findings: hasFindings === undefined ? undefined : sql`has_findings = ${hasFindings}`,
      errors: hasErrors === undefined ? undefined : sql`has_errors = ${hasErrors}`,
      feedback: and(
        hasFeedback === undefined ? undefined : sql`has_feedback = ${hasFeedback}`,
        hasThumbsDown === undefined ? undefined : sql`has_thumbs_down = ${hasThumbsDown}`,
      ),
      user: hasUser === undefined ? undefined : sql`has_user = ${hasUser}`,
    };
    /** Returns the filters except those of one facet. */
    const beside = (facet: keyof typeof chosen | null): SQL =>
      and(...Object.entries(chosen).map(([name, condition]) => (name === facet ? undefined : condition))) ?? sql`true`;
    const counted = (condition: SQL | undefined) => sql`coalesce(sum(count) filter (where ${condition}), 0)::int`;
    const valuesOf = (facet: "model" | "label" | ConversationTrait, values: SQL, named: readonly string[]) => sql`(
      select json_agg(shown order by count desc, value) from (
        select value, sum(count)::int as count from alike, ${values} as of_each(value) where ${beside(facet)}
        group by value order by (value = any(${textArray([...named])})) desc, sum(count) desc, value limit ${VALUES_SHOWN}
      ) shown)`;
    const traitsOf = (dimension: ConversationTrait) =>
      valuesOf(dimension, sql`lateral ${traitValues(sql`traits`, dimension)}`, traits[dimension] ?? []);
    // OFFSET 0 forces one look-up per conversation: until tables are analysed, a join may read the whole project.
    const findings = sql`(
      select json_agg(shown order by count desc, id) from (
        select f.id, f.title, found.count from (
          select o.finding_id, count(*)::int as count from newest cross join lateral (
            select finding_id from ${occurrences} where project_id = ${ctx.projectId} and conversation_id = newest.id offset 0
          ) o
          where has_findings and ${beside(null)} group by 1
        ) found join findings f on f.project_id = ${ctx.projectId} and f.id = found.finding_id
        where f.review_status <> 'dismissed'
        order by found.count desc, f.id limit ${FINDINGS_SHOWN}
      ) shown)`;
    const mayReadFindings = hasCapability(ctx, ["diagnostics:read"]);
    const [row] = await ctx.db.execute<Row>(sql`
      with newest as materialized (${newest}),
      alike as materialized (
        select models, labels, traits, has_findings, has_errors, has_feedback, has_thumbs_down, has_user, count(*)::int as count
        from newest group by 1, 2, 3, 4, 5, 6, 7, 8
      )
      select coalesce(sum(count), 0)::int as counted, ${counted(beside(null))} as total,
             ${counted(and(beside("findings"), sql`has_findings`))} as "withFindings",
             ${counted(and(beside("findings"), sql`not has_findings`))} as "withoutFindings",
             ${counted(and(beside("errors"), sql`has_errors`))} as "withErrors",
             ${counted(and(beside("errors"), sql`not has_errors`))} as "withoutErrors",
             ${counted(and(beside("feedback"), sql`has_feedback`))} as "withFeedback",
             ${counted(and(beside("feedback"), sql`not has_feedback`))} as "withoutFeedback",
             ${counted(and(beside("feedback"), sql`has_thumbs_down`))} as "withThumbsDown",
             ${counted(and(beside("user"), sql`has_user`))} as "withUser",
             ${counted(and(beside("user"), sql`not has_user`))} as "withoutUser",
             ${valuesOf("model", sql`unnest(models)`, model)} as models,
             ${valuesOf("label", sql`unnest(labels)`, label)} as labels,
             ${traitsOf("provider")} as providers, ${traitsOf("version")} as versions,
             ${traitsOf("tool")} as tools, ${traitsOf("prompt")} as prompts,
             ${traitsOf("arm")} as arms, ${traitsOf("language")} as languages,
             ${mayReadFindings ? findings : sql`null`} as findings
      from alike`);
    const { counted: seen, total, ...rest } = row!;
    return {
      facets: {
        ...rest,
        total: Math.min(total, limit),
        counted: Math.min(seen, limit),
        sampled: seen > limit,
        models: rest.models ?? [],
        labels: rest.labels ?? [],
        providers: rest.providers ?? [],
        versions: rest.versions ?? [],
        tools: rest.tools ?? [],
        prompts: rest.prompts ?? [],
        arms: rest.arms ?? [],
        languages: rest.languages ?? [],
        findings: mayReadFindings ? (rest.findings ?? []) : null,
      },
    };
  },
);
