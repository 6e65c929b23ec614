import { type SQL, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { type ShareSubject, shareRows } from "@/server/services/diagnostics";
import { matchesItself, THUMBS_DOWN_IN_FEEDBACK } from "@/server/services/telemetry";
import { type ChartQuery, type ChartRows, isEmpty, limitOf, valuesOf } from "./rows";

const HITS: Partial<Record<ChartQuery["measure"], SQL>> = {
  failing_share: sql`${conversations.findingCount} > 0`,
  thumbs_down_share: THUMBS_DOWN_IN_FEEDBACK,
};

/** Returns the newest conversations that began in a range, as the list has them. */
export function conversationRows({ projectId }: Ctx, query: ChartQuery): ChartRows {
  const limit = limitOf(query.filters);
  const rows = sql`
    select started_at as at, ${valuesOf(query.group)} as keys, 1 as calls, 0 as unknown, null::numeric as value,
      ${HITS[query.measure] ?? sql`null::boolean`} as hit, ${matchesItself(query.filters)} as matches
    from (
      select * from conversations
      where project_id = ${projectId} and started_at >= ${query.from}::bigint and started_at < ${query.to}::bigint
      order by started_at desc, id desc limit ${sql.raw(String(limit + 1))}
    ) conversations`;
  return { rows, limit };
}

/** Returns the newest conversations last active in a range, of which those that a Rule read have or lack its Finding or Signal. */
export async function readingRows(ctx: Ctx, query: ChartQuery): Promise<ChartRows> {
  requireCapability(ctx, ["diagnostics:read"]);
  const limit = limitOf(query.filters, "readings");
  const columns = sql`${valuesOf(query.group)} as keys, 1 as calls, 0 as unknown, null::numeric as value,
    ${matchesItself(query.filters)} as matches`;
  return { rows: await shareRows(ctx, subjectOf(query), { ...query, limit: limit + 1 }, columns), limit };
}

function subjectOf({ measure, findingId, signal }: ChartQuery): ShareSubject {
  if (measure === "signal_share") {
    if (signal === undefined) throw unprocessable("/ofSignal", "Name the Signal that is measured.");
    return { signal };
  }
  if (findingId === undefined) throw unprocessable("/ofFinding", "Name the Finding that is measured.");
  return { findingId };
}

/** Returns the conversations in which a Finding occurred, or of all Findings, which are stored by day, their number. */
export async function occurrenceRows(ctx: Ctx, query: ChartQuery): Promise<ChartRows> {
  requireCapability(ctx, ["diagnostics:read"]);
  return query.findingId === undefined ? occurrencesByDay(ctx, query) : occurrencesOf(ctx, query, query.findingId);
}

function occurrencesByDay({ projectId }: Ctx, { group, filters, step, from, to }: ChartQuery): ChartRows {
  if (group !== undefined && group !== "finding")
    throw unprocessable("/group", "Occurrences of all Findings are grouped by Finding only.");
  if (step === "hour" || !isEmpty(filters))
    throw unprocessable("/ofFinding", "Occurrences of all Findings are counted by day and week, without filters.");
  const rows = sql`
    select d.day as at, array[d.finding_id] as keys, d.conversations as calls, 0 as unknown, null::numeric as value,
      null::boolean as hit, true as matches
    from findings f join finding_days d on d.project_id = f.project_id and d.finding_id = f.id
    where f.project_id = ${projectId} and f.merged_into_id is null and f.review_status <> 'dismissed'
      and d.day >= ${from}::bigint and d.day < ${to}::bigint`;
  return { rows, limit: null };
}

async function occurrencesOf(ctx: Ctx, query: ChartQuery, findingId: string): Promise<ChartRows> {
  const [known] = await ctx.db.execute(
    sql`select 1 from findings where project_id = ${ctx.projectId} and id = ${findingId}`,
  );
  if (!known) throw notFound("Finding");
  const limit = limitOf(query.filters);
  const rows = sql`
    select o.detected_at as at, ${valuesOf(query.group)} as keys, 1 as calls, 0 as unknown, null::numeric as value,
      null::boolean as hit, ${matchesItself(query.filters)} as matches
    from (
      select project_id, conversation_id, detected_at from occurrences
      where project_id = ${ctx.projectId} and finding_id = ${findingId}
        and detected_at >= ${query.from}::bigint and detected_at < ${query.to}::bigint
      order by detected_at desc, id desc limit ${sql.raw(String(limit + 1))}
    ) o
    join ${conversations} on ${conversations.projectId} = o.project_id and ${conversations.id} = o.conversation_id`;
  return { rows, limit };
}
