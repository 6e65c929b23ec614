import { sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { THUMBS_DOWN_IN_FEEDBACK } from "@/server/services/telemetry";
import { readPrompt } from "./prompts";
import {
  CALLS_COUNTED,
  FINDINGS_SHOWN,
  promptUsageInput,
  promptUsageReply,
  USED_VERSIONS_MAX,
  type VersionUsage,
} from "./schemas";

export const promptUsage = verb(
  {
    name: "prompts.usage",
    summary: "Read the calls, cost, feedback and Findings of each version of a prompt.",
    description: `Of the newest ${CALLS_COUNTED.toLocaleString("en")} model calls of the time range whose spans name the prompt: \`gen_ai.prompt.name\` with \`gen_ai.prompt.version\`, or Langfuse's, LangSmith's or OpenLLMetry's attributes, on the call's span or the nearest one around it. Calls and cost are by the time of the call, as on Costs; conversations by their start, as in the list with \`prompt=refund 3\`. At most ${USED_VERSIONS_MAX} versions, those called last.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: promptUsageInput,
    reply: promptUsageReply,
  },
  async (ctx, { promptName: name, from, to }) => {
    await readPrompt(ctx, name);
    const { rows, examined } = await readUsage(ctx, { name, from, to });
    const findings = hasCapability(ctx, ["diagnostics:read"]) ? await readFindings(ctx, { name, from, to }) : null;
    const seesCosts = hasCapability(ctx, ["model-pricing:read"]);
    return {
      name,
      versions: rows.map(
        (row): VersionUsage => ({
          version: row.version,
          calls: row.calls,
          cost: seesCosts && row.cost !== null ? Number(row.cost) : null,
          unpricedCalls: row.unpriced,
          firstAt: Number(row.first_at),
          lastAt: Number(row.last_at),
          conversations: row.conversations,
          withFeedback: row.with_feedback,
          thumbsDown: row.thumbs_down,
          findings:
            findings?.filter(({ version }) => version === row.version).map(({ version: _, ...finding }) => finding) ??
            null,
        }),
      ),
      sampled: examined > CALLS_COUNTED,
    };
  },
);

type Range = { name: string; from: number; to: number };

/** The newest calls of a prompt, and the conversations of each version that began in the range: relations `calls` and `held`. */
const counted = ({ projectId }: Ctx, { name, from, to }: Range) => sql`
  newest as materialized (
    select prompt_version as version, conversation_id, started_at, cost_total from model_calls
    where project_id = ${projectId} and prompt_name = ${name} and started_at >= ${from}::bigint and started_at < ${to}::bigint
    order by started_at desc limit ${CALLS_COUNTED + 1}
  ),
  calls as materialized (select * from newest limit ${CALLS_COUNTED}),
  held as materialized (
    select v.version, c.* from (select distinct version, conversation_id from calls) v cross join lateral (
      select id, finding_count, ${THUMBS_DOWN_IN_FEEDBACK} as down from ${conversations}
      where project_id = ${projectId} and id = v.conversation_id and started_at >= ${from}::bigint offset 0
    ) c
  )`;

type UsageRow = {
  version: string | null;
  calls: number;
  cost: string | null;
  unpriced: number;
  first_at: string;
  last_at: string;
  conversations: number;
  with_feedback: number;
  thumbs_down: number;
  examined: number;
};

async function readUsage(ctx: Ctx, range: Range) {
  const rows = await ctx.db.execute<UsageRow>(sql`
    with ${counted(ctx, range)}
    select c.*, coalesce(h.conversations, 0) as conversations, coalesce(h.with_feedback, 0) as with_feedback,
      coalesce(h.thumbs_down, 0) as thumbs_down, (select count(*)::int from newest) as examined
    from (
      select version, count(*)::int as calls, sum(cost_total) as cost, count(*) filter (where cost_total is null)::int as unpriced,
        min(started_at) as first_at, max(started_at) as last_at
      from calls group by version
    ) c
    left join (
      select version, count(*)::int as conversations, count(down)::int as with_feedback,
        count(*) filter (where down)::int as thumbs_down
      from held group by version
    ) h on h.version is not distinct from c.version
    order by c.last_at desc, c.version limit ${USED_VERSIONS_MAX}`);
  return { rows: [...rows], examined: rows[0]?.examined ?? 0 };
}

type FindingRow = NonNullable<VersionUsage["findings"]>[number] & { version: string | null };

/** Returns the Findings in most conversations of each version. */
async function readFindings(ctx: Ctx, range: Range): Promise<FindingRow[]> {
  const rows = await ctx.db.execute<FindingRow>(sql`
    with ${counted(ctx, range)},
    found as (
      select h.version, o.finding_id, count(*)::int as conversations
      from held h cross join lateral (
        select distinct finding_id from occurrences where project_id = ${ctx.projectId} and conversation_id = h.id offset 0
      ) o
      where h.finding_count > 0 group by 1, 2
    ),
    ranked as (
      select f.id, f.title, f.severity, found.version, found.conversations,
        row_number() over (partition by found.version order by found.conversations desc, f.id) as rank
      from found join findings f on f.project_id = ${ctx.projectId} and f.id = found.finding_id and f.review_status <> 'dismissed'
    )
    select id, title, severity, version, conversations from ranked where rank <= ${FINDINGS_SHOWN} order by rank`);
  return [...rows];
}
