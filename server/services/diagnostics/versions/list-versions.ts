import { type SQL, sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { traitValues } from "@/server/services/telemetry";
import { listVersionsInput, type VersionDimension, versionsReply } from "./schemas";

/** The newest conversations that are examined. */
const EXAMINED = 10_000;
const SHOWN = 100;

/** The values of conversations `c`. */
const VALUES: Record<VersionDimension, SQL> = {
  version: traitValues(sql`c.traits`, "version"),
  prompt: traitValues(sql`c.traits`, "prompt"),
  arm: traitValues(sql`c.traits`, "arm"),
  model: sql`(select v from unnest(c.models) v)`,
  label: sql`(select v from unnest(c.labels) v)`,
};

type Row = { value: string; conversations: number; first_at: string; last_at: string; examined: number };

export const listVersions = verb(
  {
    name: "versions.list",
    summary: "List the versions, models, labels, prompts or arms of conversations, the latest to appear first.",
    description: `Of the newest ${EXAMINED.toLocaleString("en")} conversations of the time range; the ${SHOWN} values that appeared last. Conversations that an earlier release stored have versions and prompts once they were read again in the background.`,
    effect: "read",
    capability: "diagnostics:read",
    input: listVersionsInput,
    reply: versionsReply,
  },
  async (ctx, { by, startedAfter = 0, startedBefore = Number.MAX_SAFE_INTEGER }) => {
    const rows = await ctx.db.execute<Row>(sql`
      with newest as materialized (
        select started_at, models, labels, traits from conversations
        where project_id = ${ctx.projectId} and started_at >= ${startedAfter}::bigint and started_at < ${startedBefore}::bigint
        order by started_at desc, id desc limit ${EXAMINED + 1}
      )
      select value, count(*)::int as conversations, min(started_at) as first_at, max(started_at) as last_at,
        (select count(*)::int from newest) as examined
      from newest c cross join lateral ${VALUES[by]} as of_each(value)
      group by value order by min(started_at) desc, value limit ${SHOWN}`);
    return {
      versions: rows.map(({ value, conversations, first_at, last_at }) => ({
        value,
        conversations,
        firstAt: Number(first_at),
        lastAt: Number(last_at),
      })),
      sampled: (rows[0]?.examined ?? 0) > EXAMINED,
    };
  },
);
