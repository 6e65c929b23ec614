import { and, desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { conversations, ruleRuns } from "@/db/schema";
import { cursorFor, pageOf } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { ruleRunJson } from "./rule-run-json";
import { getRuleRunInput, listRuleRunsInput, ruleRunPageReply, ruleRunReply } from "./schemas";

const position = z.tuple([z.number(), z.string()]);

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
    const page = cursorFor<[number, string]>("rule-runs", { project: ctx.projectId, ...filters });
    const after = cursor === undefined ? undefined : page.decode(cursor, position);
    const rows = await ctx.db
      .select()
      .from(ruleRuns)
      .where(
        and(
          eq(ruleRuns.projectId, ctx.projectId),
          filters.status && eq(ruleRuns.status, filters.status),
          filters.origin && eq(ruleRuns.origin, filters.origin),
          filters.ruleId === undefined ? undefined : eq(ruleRuns.ruleId, filters.ruleId),
          filters.backfillId === undefined ? undefined : eq(ruleRuns.backfillId, filters.backfillId),
          filters.conversationId === undefined
            ? undefined
            : sql`${ruleRuns.conversationId} in (
                select ${conversations.id} from ${conversations}
                where ${conversations.projectId} = ${ctx.projectId}
                  and (${conversations.id} = ${filters.conversationId} or ${conversations.key} = ${`id:${filters.conversationId}`}))`,
          after && sql`(${ruleRuns.createdAt}, ${ruleRuns.id}) < (${after[0]}::bigint, ${after[1]})`,
        ),
      )
      .orderBy(desc(ruleRuns.createdAt), desc(ruleRuns.id))
      .limit(limit + 1);
    const { rows: shown, nextCursor } = pageOf(
      rows,
      limit,
      (row) => [row.createdAt, row.id] as [number, string],
      page.encode,
    );
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
