import { and, eq, sql } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching } from "@/server/services/telemetry";
import { getRuleRunInput, listRuleRunsInput, ruleRunPageReply, ruleRunReply } from "../schemas";
import { ruleRunJson } from "./rule-run-json";

export const listRuleRuns = verb(
  {
    name: "ruleRuns.list",
    summary: "List Rule Runs, newest first.",
    description: "`conversationId` is our id or the client's own.",
    effect: "read",
    capability: "diagnostics:read",
    input: listRuleRunsInput,
    reply: ruleRunPageReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const list = newestFirst({
      name: "rule-runs",
      filters: { project: ctx.projectId, ...filters },
      time: ruleRuns.createdAt,
      id: ruleRuns.id,
      limit,
      cursor,
    });
    const rows = await ctx.db
      .select()
      .from(ruleRuns)
      .where(
        and(
          eq(ruleRuns.projectId, ctx.projectId),
          filters.status && eq(ruleRuns.status, filters.status),
          filters.origin && eq(ruleRuns.origin, filters.origin),
          // Repeats the predicate of the partial index, so that a generic plan can use it.
          filters.origin === undefined || filters.origin === "automatic"
            ? undefined
            : sql`${ruleRuns.origin} <> 'automatic'`,
          filters.ruleId === undefined ? undefined : eq(ruleRuns.ruleId, filters.ruleId),
          filters.backfillId === undefined ? undefined : eq(ruleRuns.backfillId, filters.backfillId),
          filters.conversationId === undefined
            ? undefined
            : sql`${ruleRuns.conversationId} = any(${conversationIdsMatching(ctx.projectId, filters.conversationId)})`,
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows: shown, nextCursor } = list.page(rows, (row) => [row.createdAt, row.id]);
    return { runs: shown.map(ruleRunJson), pagination: { limit, nextCursor } };
  },
);

export const getRuleRun = verb(
  {
    name: "ruleRuns.get",
    summary: "Read one Rule Run.",
    effect: "read",
    capability: "diagnostics:read",
    input: getRuleRunInput,
    reply: ruleRunReply,
  },
  async (ctx, { runId }) => {
    const [row] = await ctx.db
      .select()
      .from(ruleRuns)
      .where(and(eq(ruleRuns.projectId, ctx.projectId), eq(ruleRuns.id, runId)));
    if (!row) throw notFound("Rule Run");
    return { run: ruleRunJson(row) };
  },
);
