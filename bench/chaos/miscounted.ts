import type postgres from "postgres";

type Recounted = { id: string; kept: unknown; counted: unknown };

/**
 * Recounts stored counters from the rows that they count. A Finding's cost is that of its conversations when the Rules last
 * read them: where some have not been read yet, it differs.
 */
export async function miscounted(sql: postgres.Sql, projectId: string, diagnosed: boolean): Promise<string[]> {
  const differs = ({ id, kept, counted }: Recounted) =>
    `${id}: ${JSON.stringify(kept)}, recounted ${JSON.stringify(counted)}`;
  return [
    ...(await conversations(sql, projectId)).map(differs),
    ...(await findings(sql, projectId, diagnosed)).map(differs),
    ...(await days(sql, projectId)).map(differs),
    ...(await receipts(sql, projectId)),
  ];
}

const conversations = (sql: postgres.Sql, projectId: string) =>
  sql<Recounted[]>`
    with calls as (
      select conversation_id, count(*)::int as calls, sum(cost_total) as cost,
             (count(*) filter (where cost_total is null))::int as unpriced,
             (count(*) filter (where status = 'error'))::int as failed
      from model_calls where project_id = ${projectId} group by conversation_id
    ), used as (
      select conversation_id, jsonb_object_agg(bucket, total) as usage from (
        select m.conversation_id, u.key as bucket, sum(u.value::numeric) as total
        from model_calls m, jsonb_each_text(m.usage) u where m.project_id = ${projectId} group by 1, 2
      ) b group by conversation_id
    ), tools as (
      select conversation_id, count(*)::int as calls from tool_calls where project_id = ${projectId} group by conversation_id
    ), told as (
      select conversation_id, count(*)::int as messages from conversation_messages
      where project_id = ${projectId} group by conversation_id
    ), shown as (
      select o.conversation_id, count(distinct f.id)::int as findings
      from occurrences o join findings f on f.project_id = o.project_id and f.id = o.finding_id
      where o.project_id = ${projectId} and f.review_status <> 'dismissed' group by o.conversation_id
    ), within as (
      select conversation_id, jsonb_agg(id order by id collate "C") as traces
      from traces where project_id = ${projectId} group by conversation_id
    ), both_of as (
      select c.id,
        jsonb_build_object('model calls', c.model_call_count, 'tool calls', c.tool_call_count, 'messages', c.message_count,
          'Findings', c.finding_count, 'unpriced', c.unpriced_call_count, 'usage', c.usage, 'cost', c.cost,
          'traces', (select jsonb_agg(t order by t collate "C") from unnest(c.trace_ids) t)) as kept,
        jsonb_build_object('model calls', coalesce(m.calls, 0), 'tool calls', coalesce(t.calls, 0),
          'messages', coalesce(s.messages, 0), 'Findings', coalesce(f.findings, 0), 'unpriced', coalesce(m.unpriced, 0),
          'usage', coalesce(u.usage, '{}'), 'cost', m.cost, 'traces', w.traces) as counted
      from conversations c
      left join calls m on m.conversation_id = c.id left join tools t on t.conversation_id = c.id
      left join told s on s.conversation_id = c.id left join shown f on f.conversation_id = c.id
      left join used u on u.conversation_id = c.id left join within w on w.conversation_id = c.id
      where c.project_id = ${projectId}
    ) select * from both_of where kept <> counted`;

const findings = (sql: postgres.Sql, projectId: string, diagnosed: boolean) =>
  sql<Recounted[]>`
    with both_of as (
      select f.id,
        jsonb_build_object('occurrences', f.occurrence_count, 'users', f.user_count, 'cost', case when ${diagnosed} then f.affected_cost end,
          'unpriced', case when ${diagnosed} then f.unpriced_call_count end,
          'first', f.first_detected_at, 'last', f.last_detected_at) as kept,
        jsonb_build_object('occurrences', count(o.id), 'users', count(distinct c.user_id), 'cost', case when ${diagnosed} then sum(c.cost) end,
          'unpriced', case when ${diagnosed} then coalesce(sum(c.unpriced_call_count), 0) end,
          'first', min(o.detected_at), 'last', max(o.detected_at)) as counted
      from findings f
      left join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
      left join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
      where f.project_id = ${projectId} group by f.project_id, f.id
    ) select * from both_of where kept <> counted`;

/** By day and group, by day and label, and by day and user where these were counted and have not changed since. */
const days = (sql: postgres.Sql, projectId: string) =>
  sql<Recounted[]>`
    with calls as (
      select (m.started_at / 86400000) * 86400000 as day, m.*, c.labels as of, coalesce(c.user_id, '') as user_id from model_calls m
      join conversations c on c.project_id = m.project_id and c.id = m.conversation_id where m.project_id = ${projectId}
    ), by_user as (
      select * from daily_user_costs u where project_id = ${projectId}
        and not exists (select 1 from stale_user_days s where s.project_id = u.project_id and s.day = u.day)
    ), kept as (
      select jsonb_build_array(day, model, provider, model_price_id, vendor) as key, calls, unpriced_calls as unpriced, cost, usage
      from daily_costs where project_id = ${projectId}
      union all select jsonb_build_array(day, label), calls, unpriced_calls, cost, usage
      from daily_label_costs where project_id = ${projectId}
      union all select jsonb_build_array(day, user_id, 'user'), calls, unpriced_calls, cost, usage from by_user
    ), counted as (
      select jsonb_build_array(day, coalesce(nullif(response_model, ''), requested_model, ''), coalesce(provider, ''),
        coalesce(cost #>> '{model,id}', ''), coalesce(cost #>> '{model,provider}', '')) as key, cost_total, usage from calls
      union all select jsonb_build_array(day, coalesce(label, '')), cost_total, usage
      from calls left join lateral unnest(of) label on true
      union all select jsonb_build_array(day, user_id, 'user'), cost_total, usage
      from calls where day in (select day from by_user)
    ), sums_kept as (
      select k.key, n.key as what, sum(n.value::numeric) as amount
      from kept k, jsonb_each_text(usage || jsonb_build_object('calls', calls, 'unpriced', unpriced, 'cost', cost)) n
      group by 1, 2 having sum(n.value::numeric) <> 0
    ), sums_counted as (
      select c.key, n.key as what, sum(n.value::numeric) as amount
      from counted c, jsonb_each_text(case jsonb_typeof(usage) when 'object' then usage else '{}' end
        || jsonb_build_object('calls', 1, 'unpriced', (cost_total is null)::int, 'cost', coalesce(cost_total, 0))) n
      group by 1, 2 having sum(n.value::numeric) <> 0
    )
    select (key || to_jsonb(what))::text as id, k.amount as kept, c.amount as counted
    from sums_kept k full join sums_counted c using (key, what) where k.amount is distinct from c.amount`;

async function receipts(sql: postgres.Sql, projectId: string): Promise<string[]> {
  const [row] = await sql<{ said: string; there: string }[]>`
    select (select coalesce(sum(stored), 0) from ingest_receipts where project_id = ${projectId}) as said,
           (select count(*) from spans where project_id = ${projectId}) as there`;
  return row?.said === row?.there ? [] : [`receipts tell of ${row?.said} spans, ${row?.there} are there`];
}
