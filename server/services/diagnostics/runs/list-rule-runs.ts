import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { isOneOf } from "@/db/rows";
import { ruleRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { byTime } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { readNames } from "@/server/platform/names";
import { SORTED_MAX } from "@/server/platform/schemas";
import { inOrderOf, type SortKey, sortedPage } from "@/server/platform/sorted-page";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching } from "@/server/services/telemetry";
import {
  getRuleRunInput,
  type ListedRuleRun,
  listedRuleRunReply,
  listRuleRunsInput,
  type RuleRunSort,
  ruleRunPageReply,
} from "../schemas";
import { ruleRunJson } from "./rule-run-json";

type Input = Omit<z.output<typeof listRuleRunsInput>, "sort">;
type Filters = Omit<Input, "limit" | "cursor" | "order">;
type Sort = Exclude<RuleRunSort, "created">;

/** Sorted without an index. */
const SORTS: Record<Sort, SortKey> = {
  duration: { by: sql`(${ruleRuns.finishedAt} - ${ruleRuns.startedAt})`, type: "bigint", nullable: true },
  attempts: { by: ruleRuns.attempts, type: "bigint" },
};

export const listRuleRuns = verb(
  {
    name: "ruleRuns.list",
    summary: "List Rule Runs, by default newest first.",
    description: `\`conversationId\` is Whetstone's id or the client's own. \`outcome\` is for completed Runs: \`found\` an Occurrence, or \`nothing\`. \`sort\` and \`order\` (\`desc\` or \`asc\`) order the list; Runs that have not finished have no duration and come last. By anything but \`created\`, the newest ${SORTED_MAX.toLocaleString("en")} matching Runs are sorted: \`sampled\` is \`true\` if more match.`,
    effect: "read",
    capability: "diagnostics:read",
    input: listRuleRunsInput,
    reply: ruleRunPageReply,
  },
  async (ctx, { sort, ...input }) => (sort === "created" ? listByTime(ctx, input) : listSorted(ctx, sort, input)),
);

async function listByTime(ctx: Ctx, { limit, cursor, order, ...filters }: Input) {
  const list = byTime({
    name: "rule-runs",
    filters: { project: ctx.projectId, ...filters },
    time: ruleRuns.createdAt,
    id: ruleRuns.id,
    order,
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select()
    .from(ruleRuns)
    .where(and(matchingRuns(ctx, filters), list.after))
    .orderBy(...list.order)
    .limit(list.fetch);
  const { rows: shown, nextCursor } = list.page(rows, (row) => [row.createdAt, row.id]);
  return { runs: await withPreviews(ctx, shown), sampled: false, pagination: { limit, nextCursor } };
}

async function listSorted(ctx: Ctx, sort: Sort, { limit, cursor, order, ...filters }: Input) {
  const { ids, nextCursor, sampled } = await sortedPage(ctx.db, {
    name: "rule-runs",
    filters: { project: ctx.projectId, ...filters },
    table: ruleRuns,
    id: ruleRuns.id,
    where: matchingRuns(ctx, filters),
    sort,
    key: SORTS[sort],
    order,
    among: [desc(ruleRuns.createdAt), desc(ruleRuns.id)],
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select()
    .from(ruleRuns)
    .where(and(eq(ruleRuns.projectId, ctx.projectId), isOneOf(ruleRuns.id, ids)));
  return { runs: await withPreviews(ctx, inOrderOf(ids, rows)), sampled, pagination: { limit, nextCursor } };
}

/** Returns Runs with the first message of their conversations, by which people recognize them. */
async function withPreviews(ctx: Ctx, rows: (typeof ruleRuns.$inferSelect)[]): Promise<ListedRuleRun[]> {
  const nameOf = await readNames(
    ctx,
    rows.map(({ conversationId: id }) => ({ type: "conversation", id })),
  );
  return rows.map((row) => ({
    ...ruleRunJson(row),
    conversationPreview: nameOf({ type: "conversation", id: row.conversationId }),
  }));
}

/** As text: the index of Runs that found something is partial. */
const OUTCOMES = { found: sql`${ruleRuns.resultCount} > 0`, nothing: sql`${ruleRuns.resultCount} = 0` };

const matchingRuns = (ctx: Ctx, filters: Filters): SQL | undefined =>
  and(
    eq(ruleRuns.projectId, ctx.projectId),
    filters.status && eq(ruleRuns.status, filters.status),
    filters.outcome && OUTCOMES[filters.outcome],
    filters.origin && eq(ruleRuns.origin, filters.origin),
    // Repeats the predicate of the partial index, so that a generic plan can use it.
    filters.origin === undefined || filters.origin === "automatic" ? undefined : sql`${ruleRuns.origin} <> 'automatic'`,
    filters.ruleId === undefined ? undefined : eq(ruleRuns.ruleId, filters.ruleId),
    filters.backfillId === undefined ? undefined : eq(ruleRuns.backfillId, filters.backfillId),
    filters.conversationId === undefined
      ? undefined
      : sql`${ruleRuns.conversationId} = any(${conversationIdsMatching(ctx.projectId, filters.conversationId)})`,
  );

export const getRuleRun = verb(
  {
    name: "ruleRuns.get",
    summary: "Read one Rule Run.",
    description:
      "`status` says how far it is, `resultCount` how many Occurrences it found; `notes` say what it left out or could not decide. A `skipped` Run has a `skipReason`, a failed one an `errorMessage`. It says what the Rule found with the settings of `configurationRevision`.",
    effect: "read",
    capability: "diagnostics:read",
    input: getRuleRunInput,
    reply: listedRuleRunReply,
  },
  async (ctx, { runId }) => {
    const [row] = await ctx.db
      .select()
      .from(ruleRuns)
      .where(and(eq(ruleRuns.projectId, ctx.projectId), eq(ruleRuns.id, runId)));
    if (!row) throw notFound("Rule Run");
    const [run] = await withPreviews(ctx, [row]);
    return { run: run! };
  },
);
