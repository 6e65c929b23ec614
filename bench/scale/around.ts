import type postgres from "postgres";
import { DAY_MS } from "@/server/platform/durations";
import { PROJECTS } from "./fill";

export const OWNER = "usr_scale_0";
const PEOPLE = 500;
const AUDIT_ROWS = 300_000;
const JOBS = 100_000;

/** Fills what surrounds the telemetry of the largest project: people, keys, the audit log, background jobs. */
export async function fillAround(sql: postgres.Sql, now = Date.now()) {
  const project = PROJECTS.big;
  await sql`
    insert into users (id, email, name, password_hash, created_at)
    select 'usr_scale_' || n, 'person' || n || '@example.test', 'Person ' || n, 'none', ${now - 100 * DAY_MS}::bigint + n * 1000
    from generate_series(0::bigint, ${PEOPLE - 1}::bigint) n`;
  await sql`
    insert into memberships (project_id, user_id, role, created_at)
    select ${project}, 'usr_scale_' || n, (array['owner', 'viewer', 'viewer', 'viewer'])[1 + n % 4], ${now - 90 * DAY_MS}::bigint + n * 1000
    from generate_series(0::bigint, ${PEOPLE - 1}::bigint) n`;
  await sql`
    insert into memberships (project_id, user_id, role, created_at)
    select id, ${OWNER}, 'owner', created_at from projects where id <> ${project}`;
  await sql`
    insert into sessions (id, user_id, created_at, last_seen_at, expires_at, revoked_at, user_agent)
    select 'ses_scale_' || n, 'usr_scale_' || n % ${PEOPLE}::int, t.at, t.at + 3600000, t.at + ${30 * DAY_MS}::bigint,
      case when n % 3 = 0 then t.at + 7200000 end, 'Mozilla/5.0 (X11; Linux x86_64)'
    from generate_series(0::bigint, 9999::bigint) n cross join lateral (select ${now}::bigint - n * 720000::bigint as at) t`;
  await sql`
    insert into sessions (id, user_id, created_at, last_seen_at, expires_at, user_agent)
    select 'ses_scale_mine_' || n, ${OWNER}, ${now}::bigint - n * 1000, ${now}, ${now + 30 * DAY_MS}, 'Mozilla/5.0 (X11; Linux x86_64)'
    from generate_series(0::bigint, 199::bigint) n`;
  await sql`
    insert into invitations (project_id, id, token_hash, role, email, created_by, created_at, expires_at, accepted_at, accepted_by)
    select ${project}, 'inv_scale_' || n, md5(n::text), 'viewer', 'person' || n || '@example.test', ${OWNER}, t.at, t.at + ${7 * DAY_MS}::bigint,
      case when n % 5 <> 0 then t.at + 60000 end, case when n % 5 <> 0 then 'usr_scale_' || n % ${PEOPLE}::int end
    from generate_series(0::bigint, 4999::bigint) n cross join lateral (select ${now}::bigint - n * 1500000::bigint as at) t`;
  await sql`
    insert into api_keys (project_id, id, name, hash, hint, capabilities, created_by, created_at, last_used_at, revoked_at)
    select ${project}, 'key_scale_' || n, 'Service ' || n, md5(n::text), right(md5(n::text), 4), array['telemetry:write', 'diagnostics:read'],
      ${OWNER}, t.at, t.at + 1000, case when n % 2 = 0 then t.at + 2000 end
    from generate_series(0::bigint, 999::bigint) n cross join lateral (select ${now}::bigint - n * 7000000::bigint as at) t`;
  await sql`
    insert into audit_log (project_id, id, action, actor_kind, actor_id, session_id, target_type, target_id, before, after, door,
      request_id, address, created_at)
    select ${project}, 'aud_' || lpad(to_hex(t.at), 12, '0') || '7' || substr(md5(n::text), 1, 19), a.action,
      case when n % 3 = 0 then 'apiKey' else 'user' end, case when n % 3 = 0 then 'key_scale_' || n % 50 else 'usr_scale_' || (n * 7919) % ${PEOPLE}::int end,
      case when n % 3 <> 0 then 'ses_scale_' || n % 10000 end, split_part(a.action, '.', 1), 'target_' || n % 20000,
      '{"reviewStatus": "unreviewed"}', '{"reviewStatus": "confirmed"}', case when n % 3 = 0 then 'rest' else 'trpc' end, md5(n::text),
      '192.0.2.' || n % 250, t.at
    from generate_series(1::bigint, ${AUDIT_ROWS}::bigint) n
    cross join lateral (select ${now - 90 * DAY_MS}::bigint + n * ${Math.floor((90 * DAY_MS) / AUDIT_ROWS)}::bigint as at) t
    cross join lateral (select case when n % 5000 = 0 then 'retention.update' when n % 300 = 0 then 'apiKeys.create'
      when n % 2 = 0 then 'findings.update' else 'ruleRuns.create' end as action) a`;
  await sql`
    insert into account_audit_log (id, user_id, action, actor_kind, actor_id, door, request_id, created_at)
    select 'aud_scale_' || n, 'usr_scale_' || n % ${PEOPLE}::int, 'account.signIn', 'user', 'usr_scale_' || n % ${PEOPLE}::int, 'page', md5(n::text),
      ${now}::bigint - n * 70000::bigint
    from generate_series(1::bigint, 100000::bigint) n`;
  await sql`
    insert into deletion_receipts (project_id, id, scope, status, counts, actor_kind, actor_id, created_at, completed_at)
    select ${project}, 'del_scale_' || n, 'conversation', 'completed', '{"spans": 10, "conversations": 1}', 'user', ${OWNER}, t.at, t.at + 500
    from generate_series(0::bigint, 4999::bigint) n cross join lateral (select ${now}::bigint - n * 1500000::bigint as at) t`;
  await sql`
    insert into backups (id, kind, taken_at, bytes, rows, checksum, verified_at, with_secret, created_at)
    select 'bak_scale_' || n, 'backup', t.at, 1000000000, 40000000, md5(n::text), t.at + 60000, true, t.at
    from generate_series(0::bigint, 1999::bigint) n cross join lateral (select ${now}::bigint - n * 3600000::bigint as at) t`;
  await sql`
    insert into parked_traces (project_id, trace_id, received_at, attempts, reason, alone, version, created_at)
    select project_id, id, created_at, 5, 'It could not be read.', true, '1', created_at
    from (select * from traces where project_id = ${project} limit 5000) t`;
  await sql`
    insert into connections (project_id, id, kind, name, base_url, settings, created_at, updated_at)
    select ${project}, 'conn_scale_' || n, 'github', 'GitHub ' || n, 'https://api.github.com',
      '{"defaultDestination": null, "openStates": [], "closedStates": [], "labels": [], "titleTemplate": null, "bodyTemplate": null}', t.at, t.at
    from generate_series(0::bigint, 499::bigint) n cross join lateral (select ${now}::bigint - n * 1000 as at) t`;
  await sql`
    insert into files (project_id, id, kind, state, name, media_type, bytes, sha256, object, resumable, created_at, updated_at)
    select ${project}, 'fil_scale_' || n, 'import', 'stored', 'conversations ' || n || '.jsonl', 'application/jsonl', n, t.sha256,
      t.sha256 || '-fil_scale_' || n, true, t.at, t.at
    from generate_series(0::bigint, 19999::bigint) n
    cross join lateral (select ${now}::bigint - n * 60000::bigint as at, encode(sha256(n::text::bytea), 'hex') as sha256) t`;
  await fillJobs(sql, now);
}

/** Finished runs of every project, as many as the engine retains. */
async function fillJobs(sql: postgres.Sql, now: number) {
  await sql`
    insert into job_events (id, project_id, name, data, occurred_at, created_at, dispatched_at)
    select 'evt_scale_' || n, t.project_id, 'diagnostics/rule-runs.queued', t.data, t.at, t.at, t.at + 100
    from generate_series(1::bigint, ${JOBS}::bigint) n
    cross join lateral (
      select d.project_id, ${now}::bigint - n * 2500::bigint as at, json_build_object('projectId', d.project_id, 'runIds', array['run_' || md5(n::text)]) as data
      from (select case when n % 5 = 0 then 'prj_scale_tiny_' || n % ${PROJECTS.tiny}::int else ${PROJECTS.big} end as project_id) d
    ) t`;
  await sql`
    insert into job_runs (id, project_id, function_id, event_id, event, state, max_attempts, lane, output, error, created_at, started_at, finished_at)
    select 'jr_' || lpad(to_hex(e.created_at), 12, '0') || '7' || substr(md5(e.id), 1, 19), e.project_id, 'whetstone-run-rules', e.id,
      json_build_object('id', e.id, 'name', e.name, 'data', e.data, 'ts', e.occurred_at), f.state, 4, e.project_id || '/whetstone-run-rules',
      case when f.state = 'completed' then '{"completed": 3}'::json end,
      case when f.state = 'failed' then '{"name": "Error", "message": "3 Rule Runs failed."}'::json end,
      e.created_at + 100, e.created_at + 120, e.created_at + 400
    from job_events e
    cross join lateral (select case when right(e.id, 3) = '000' then 'failed' else 'completed' end as state) f
    where e.id like 'evt_scale_%'`;
}
