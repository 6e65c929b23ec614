import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { Evidence } from "./judge";
import { miscounted } from "./miscounted";

/** Allows the Rules to read every trace of a run and all jobs to end: sweeps run every few seconds. */
const REST_WITHIN_MS = 300_000;
const LOOK_MS = 500;

type Found = Omit<
  Evidence,
  "acknowledged" | "sent" | "asked" | "unanswered" | "sessions" | "givenUp" | "refused" | "notBack"
>;
type Row = Record<string, string | null>;

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id ?? "");

/**
 * Returns what is pending or in progress in the project, in words. Without `diagnosed`, conversations pending automatic
 * diagnosis do not count.
 */
export async function stillOpen(sql: postgres.Sql, projectId: string, diagnosed: boolean): Promise<string[]> {
  const [row = {}] = await sql<Row[]>`
    select
      (select count(*) from projection_queue where project_id = ${projectId}) as "traces to be rebuilt",
      (select count(*) from conversations
        where project_id = ${projectId} and ${diagnosed} and diagnosed_received_at is distinct from received_at) as "conversations to be diagnosed",
      (select count(*) from findings
        where project_id = ${projectId} and recount_due_at is not null) as "Findings to be counted",
      (select count(*) from rule_runs
        where project_id = ${projectId} and status in ('queued', 'running')) as "Rule Runs to be executed",
      (select count(*) from job_events where project_id = ${projectId} and dispatched_at is null) as "events to be taken",
      (select count(*) from job_runs where project_id = ${projectId} and finished_at is null) as "jobs to be ended"`;
  return Object.entries(row).flatMap(([what, count]) => (Number(count) > 0 ? [`${count} ${what}`] : []));
}

/**
 * Waits until the project's work is done and returns everything to judge. Without `diagnosed` it does not wait for the
 * automatic diagnosis of conversations.
 */
export async function gather(sql: postgres.Sql, projectId: string, { diagnosed = true } = {}): Promise<Found> {
  const deadline = performance.now() + REST_WITHIN_MS;
  let open = await stillOpen(sql, projectId, diagnosed);
  while (open.length > 0 && performance.now() < deadline) {
    await sleep(LOOK_MS);
    open = await stillOpen(sql, projectId, diagnosed);
  }
  const parked = await sql`select trace_id, reason from parked_traces where project_id = ${projectId}`;
  const stored = await sql<Row[]>`select trace_id || '/' || span_id as id from spans where project_id = ${projectId}`;
  const calls = await sql<Row[]>`
    select trace_id || '/' || span_id as id from model_calls where project_id = ${projectId}
    union all select trace_id || '/' || span_id from tool_calls where project_id = ${projectId}`;
  const runs = await sql`
    select id, rule_id || '@' || rule_version as rule, conversation_id as conversation, last_activity_at as activity, status
    from rule_runs where project_id = ${projectId}`;
  const jobs = await sql`
    select id, function_id as "functionId", event_id as "eventId", state,
           coalesce(array(select json_array_elements_text(event->'data'->'runIds')), '{}') as "runIds"
    from job_runs where project_id = ${projectId}`;
  const [audit] = await sql`
    select count(*) from audit_log where project_id = ${projectId} and action = 'ruleRuns.create'`;
  const findings = await sql<Row[]>`select id from findings where project_id = ${projectId} and signal = 'tool_error'`;
  const occurrences = await sql`
    select o.finding_id as "findingId", c.external_id as session
    from occurrences o join findings f on f.project_id = o.project_id and f.id = o.finding_id
    join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
    where o.project_id = ${projectId} and f.signal = 'tool_error'`;
  return {
    stored: idsOf(stored),
    calls: idsOf(calls),
    audited: Number(audit?.count),
    runs: [...runs] as unknown as Found["runs"],
    jobs: [...jobs] as unknown as Found["jobs"],
    findings: idsOf(findings),
    occurrences: [...occurrences] as unknown as Found["occurrences"],
    miscounted: await miscounted(sql, projectId, diagnosed),
    open: [...open, ...parked.map(({ trace_id, reason }) => `trace ${trace_id} is parked: ${reason}`)],
  };
}
