import { and, asc, desc, eq, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { prompts } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { byTime, codecOf, comparableText } from "@/server/platform/cursor";
import { DAY_MS } from "@/server/platform/durations";
import type { SortOrder } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { labelsOf, type PromptRow } from "./prompts";
import { type ListedPrompt, listPromptsInput, promptsReply, RECENT_DAYS } from "./schemas";

/** Recent calls of a prompt that are counted. */
const CALLS_MAX = 10_000;

export const listPrompts = verb(
  {
    name: "prompts.list",
    summary: "List the prompts of the project, the last changed first.",
    description: `Without their texts, which \`GET …/prompts/:name\` returns. \`recentCalls\` counts up to ${CALLS_MAX.toLocaleString("en")} calls.`,
    effect: "read",
    capability: "workspace:read",
    input: listPromptsInput,
    reply: promptsReply,
  },
  async (ctx, { q, sort, order, limit, cursor }) => {
    const filters = { project: ctx.projectId, q, sort };
    const matches = and(
      eq(prompts.projectId, ctx.projectId),
      q === undefined ? undefined : sql`strpos(lower(${prompts.name}), ${q.toLowerCase()}) > 0`,
    );
    const list = (sort === "name" ? byName : byChange)({ filters, order, limit, cursor });
    const found = await ctx.db
      .select()
      .from(prompts)
      .where(and(matches, list.after))
      .orderBy(...list.order)
      .limit(limit + 1);
    const { rows: shown, nextCursor } = list.page(found);
    const labels = await labelsOf(
      ctx,
      shown.map(({ id }) => id),
    );
    const calls = await recentCallsOf(ctx, shown);
    return {
      prompts: shown.map(
        ({ id, name, kind, latestVersion, createdAt, updatedAt }): ListedPrompt => ({
          name,
          kind,
          latestVersion,
          labels: (labels.get(id) ?? []).map(({ label, version }) => ({ label, version })),
          recentCalls: calls?.get(name) ?? null,
          createdAt,
          updatedAt,
        }),
      ),
      pagination: { limit, nextCursor },
    };
  },
);

type Sorted = { filters: object; order: SortOrder; limit: number; cursor: string | undefined };

function byChange(sorted: Sorted) {
  const { after, order, page } = byTime({ name: "prompts", time: prompts.updatedAt, id: prompts.id, ...sorted });
  return { after, order, page: (rows: PromptRow[]) => page(rows, ({ updatedAt, id }) => [updatedAt, id]) };
}

/** Names are unique, and so a position. */
function byName({ filters, order, limit, cursor }: Sorted) {
  const { encode, decode } = codecOf("prompts", { ...filters, order }, comparableText);
  const beyond = sql.raw(order === "desc" ? "<" : ">");
  return {
    after: cursor === undefined ? undefined : sql`${prompts.name} ${beyond} ${decode(cursor)}`,
    order: [order === "desc" ? desc(prompts.name) : asc(prompts.name)],
    page(rows: PromptRow[]) {
      const last = rows[limit - 1];
      return { rows: rows.slice(0, limit), nextCursor: rows.length > limit && last ? encode(last.name) : null };
    },
  };
}

/** Returns how many of the newest calls name each prompt; null for callers that may not read conversations. */
async function recentCallsOf(ctx: Ctx, shown: readonly PromptRow[]) {
  if (!hasCapability(ctx, ["diagnostics:read", "project:data:read"])) return null;
  const rows = await ctx.db.execute<{ name: string; count: number }>(sql`
    select p.name, recent.count from unnest(${textArray(shown.map(({ name }) => name))}) p(name)
    cross join lateral (
      select count(*)::int as count from (
        select 1 from model_calls
        where project_id = ${ctx.projectId} and prompt_name = p.name and started_at >= ${Date.now() - RECENT_DAYS * DAY_MS}::bigint
        limit ${CALLS_MAX + 1}
      ) calls
    ) recent`);
  return new Map(rows.map(({ name, count }) => [name, { count: Math.min(count, CALLS_MAX), more: count > CALLS_MAX }]));
}
