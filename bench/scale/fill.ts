import type postgres from "postgres";
import { DAY_MS } from "@/server/platform/durations";
import { MARK, type Template } from "./templates";

type Sql = postgres.Sql;

export const PROJECTS = { big: "prj_scale_big", medium: "prj_scale_medium", small: 8, tiny: 200 } as const;
export const DAYS = 90;
const CHUNK = 20_000;
const CONNECTIONS = 2;
const SLOTS = 100_000;
/** Conversations per distinct Finding cause in a project. */
const CONVERSATIONS_A_CAUSE = 300;

/** Tables filled without indexes and keys, which are created afterwards. */
const BULK = [
  "conversations",
  "conversation_search",
  "traces",
  "spans",
  "log_records",
  "conversation_messages",
  "model_calls",
  "tool_calls",
  "rule_runs",
  "findings",
  "occurrences",
  "ingest_receipts",
];

type Progress = (line: string) => void;

/** Copies the templates of `templateProject` until there are `conversations` of them, spread over the last 90 days. */
export async function fill(
  sql: Sql,
  {
    conversations,
    templates,
    templateProject,
  }: { conversations: number; templates: readonly Template[]; templateProject: string },
  progress: Progress,
) {
  await prepare(sql, conversations, templates, templateProject);
  const keys = await dropKeys(sql, BULK);

  const started = performance.now();
  let next = 1;
  let done = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let from = next; from <= conversations; from = next) {
        next = from + CHUNK;
        const to = Math.min(from + CHUNK - 1, conversations);
        await sql.begin(async (tx) => {
          for (const statement of copies(from, to, conversations)) await tx.unsafe(statement);
        });
        done += to - from + 1;
        const seconds = Math.round((performance.now() - started) / 1000);
        progress(`${done.toLocaleString("en")} of ${conversations.toLocaleString("en")} conversations, ${seconds} s`);
      }
    }),
  );
  for (const statement of [FINDINGS, ...FINDING_PARTS]) await sql.unsafe(statement);
  for (const { what, statement } of keys) {
    const begun = performance.now();
    await sql.unsafe(statement);
    progress(`${what}, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  await sql`drop schema bench cascade`;
}

/** Creates the projects, and the sources of the copies in a temporary schema. */
async function prepare(sql: Sql, conversations: number, templates: readonly Template[], templateProject: string) {
  const small = Array.from({ length: PROJECTS.small }, (_, n) => ({
    id: `prj_scale_small_${n}`,
    from: 0.92 + (0.07 * n) / 8,
  }));
  const tiny = Array.from({ length: PROJECTS.tiny }, (_, n) => ({
    id: `prj_scale_tiny_${n}`,
    from: 0.99 + (0.01 * n) / 200,
  }));
  const projects = [{ id: PROJECTS.big, from: 0 }, { id: PROJECTS.medium, from: 0.8 }, ...small, ...tiny].map(
    (project, index, all) => {
      const until = all[index + 1]?.from ?? 1;
      const causes = Math.ceil(((until - project.from) * conversations) / CONVERSATIONS_A_CAUSE);
      return { ...project, until, causes };
    },
  );
  await sql`
    insert into projects (id, name, created_at)
    select id, initcap(replace(substr(id, 11), '_', ' ')), ${Date.now() - (DAYS + 1) * DAY_MS}::bigint
    from jsonb_to_recordset(${sql.json(projects)}) as t(id text)`;
  await sql`
    insert into span_sources select p.id, s.id, s.resource, s.scope_name, s.scope_version, s.first_seen_at
    from span_sources s, projects p where s.project_id = ${templateProject} and p.id like 'prj_scale_%'`;

  await sql`create schema bench`;
  await sql`create table bench.projects as select * from jsonb_to_recordset(${sql.json(projects)}) as t(id text, "from" float8, until float8, causes int)`;
  await sql`create table bench.slots as select * from jsonb_to_recordset(${sql.json(slotsOf(templates))}) as t(era int, slot int, template int)`;
  await sql`
    create table bench.templates as
    select t.number as template, c.* from jsonb_to_recordset(${sql.json(templates)}) as t(number int, "conversationId" text)
    join conversations c on c.project_id = ${templateProject} and c.id = t."conversationId"`;
  await sql`
    create table bench.traces as
    select t.template, r.id, row_number() over (partition by t.template order by r.id) as turn
    from bench.templates t join traces r on r.project_id = t.project_id and r.conversation_id = t.id`;
  for (const table of ["spans", "log_records"]) {
    await sql.unsafe(`create table bench.${table} as select t.template, t.turn, s.* from bench.traces t
      join ${table} s on s.project_id = '${templateProject}' and s.trace_id = t.id`);
  }
  for (const table of ["model_calls", "tool_calls"]) {
    await sql.unsafe(`create table bench.${table} as select t.template, t.turn, s.* from bench.traces t
      join ${table} s on s.project_id = '${templateProject}' and s.trace_id = t.id`);
  }
  for (const table of ["conversation_search", "conversation_messages", "rule_runs", "occurrences"]) {
    await sql.unsafe(`create table bench.${table} as select t.template, s.* from bench.templates t
      join ${table} s on s.project_id = t.project_id and s.conversation_id = t.id`);
  }
  await sql.unsafe(`create table bench.findings as select * from findings where project_id = '${templateProject}'`);
  await sql.unsafe(`create table bench.causes (project_id text, template_finding text, cause int, id text)`);
  await sql.unsafe(FUNCTIONS);
  await sql`analyze`;
}

/** Assigns each template a share of the slots by its weight, in each era. */
function slotsOf(templates: readonly Template[]) {
  const slots = [];
  for (const era of [0, 1]) {
    const some = templates.filter((template) => template.era === era);
    const total = some.reduce((sum, { weight }) => sum + weight, 0);
    let reached = 0;
    let slot = 0;
    for (const { number, weight } of some) {
      reached += weight;
      for (; slot < (SLOTS * reached) / total; slot++) slots.push({ era, slot, template: number });
    }
  }
  return slots;
}

const FUNCTIONS = `
  -- 0 to 1, the same in every run, another for each seed
  create function bench.chance(n bigint, seed int) returns float8 immutable language sql as
    $$ select (hashint8extended(n, seed) & 4294967295) / 4294967296.0 $$;
  -- shaped as \`newId\`: a UUID v7 of that time
  create function bench.id(prefix text, at bigint, body text) returns text immutable language sql as
    $$ select prefix || '_' || lpad(to_hex(at), 12, '0') || '7' || substr(md5(body), 1, 19) $$;
  create function bench.finding(project text, template_finding text, cause int) returns text immutable language sql as
    $$ select 'fnd_' || md5(project || template_finding || cause) $$;
  create function bench.dismissed(finding text) returns boolean immutable language sql as
    $$ select substr(finding, 5, 1) in ('0', '1', '2') $$;`;

/** Drops the foreign keys and indexes of tables; returns the statements that restore them, referenced keys first. */
export async function dropKeys(sql: Sql, tables: readonly string[]) {
  const constraints = await sql<{ name: string; table: string; type: string; definition: string }[]>`
    select conname as name, conrelid::regclass::text as table, contype as type, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype in ('p', 'u', 'f') and (conrelid::regclass::text = any(${tables as string[]}) or confrelid::regclass::text = any(${tables as string[]}))
    order by contype = 'f', conname`;
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = any(${tables as string[]}) and indexname not in (select conname from pg_constraint)
    order by indexname`;
  for (const { name, table } of [...constraints].reverse())
    await sql.unsafe(`alter table ${table} drop constraint "${name}"`);
  for (const { name } of indexes) await sql.unsafe(`drop index "${name}"`);

  const constraint = ({ name, table, definition }: (typeof constraints)[number]) => ({
    what: name,
    statement: `alter table ${table} add constraint "${name}" ${definition}`,
  });
  return [
    ...constraints.filter(({ type }) => type !== "f").map(constraint),
    ...indexes.map(({ name, definition }) => ({ what: name, statement: definition })),
    ...constraints.filter(({ type }) => type === "f").map(constraint),
  ];
}

/** Replaces the template's marks in a column with the copy's own. */
const own = (column: string) =>
  [
    [`t.mark`, `b.mark`],
    [`'${MARK.user}'`, `b.user_name`],
    [`'${MARK.order}'`, `b.order_number`],
    [`'${MARK.first}'`, `b.first_word`],
    [`'${MARK.second}'`, `b.second_word`],
    [`'${MARK.era}'`, `b.era_word`],
  ].reduce((text, [from, to]) => `replace(${text}, ${from}, ${to})`, column);
const ownJson = (column: string) => `${own(`${column}::text`)}::jsonb`;
const traceOf = (turn: string) => `md5(b.n || '.' || ${turn})`;
/** Distinct, as real ones are: a hash index of many equal ids takes hours to build. */
const spanOf = (id: string) => `substr(md5(b.n || '.' || ${id}), 1, 16)`;
const withSpans = (evidence: string) => `(
  select coalesce(jsonb_agg(case when e->>'spanId' is null then e
    else jsonb_set(e, '{spanId}', to_jsonb(${spanOf("(e->>'spanId')")})) end), '[]') from jsonb_array_elements(${evidence}) e)`;

function copies(from: number, to: number, conversations: number): string[] {
  const start = Date.now() - DAYS * DAY_MS;
  const step = (DAYS * DAY_MS) / conversations;
  const chance = (seed: number) => `bench.chance(n, ${seed})`;
  return [
    `create temp table base on commit drop as
     select d.*, p.id as project_id, p.causes, s.template, bench.id('conv', d.started_at, 'c' || n) as id,
       d.started_at - m.started_at as shift,
       d.started_at - m.started_at + m.last_activity_at as last_activity_at, cardinality(m.trace_ids) as turns
     from (
       select n, (${start} + n * ${step} + (${chance(1)} - 0.5) * 7200000)::bigint as started_at,
         '-' || substr(md5('m' || n), 1, 12) as mark, 'user-' || floor(40000 * ${chance(2)} ^ 3)::int as user_name,
         (100000 + floor(${chance(3)} * 900000))::int::text as order_number,
         'item' || floor(20000 * ${chance(4)} ^ 2)::int as first_word, 'topic' || floor(2000 * ${chance(5)} ^ 2)::int as second_word,
         case when ${chance(6)} < 0.3 then 'release' || n * 13 / ${conversations + 1} else 'version' end as era_word,
         (n > ${conversations / 2})::int as era, floor(${chance(7)} * ${SLOTS})::int as slot, ${chance(8)} as place
       from generate_series(${from}::bigint, ${to}::bigint) n
     ) d
     join bench.projects p on d.place >= p."from" and d.place < p.until
     join bench.slots s on s.era = d.era and s.slot = d.slot
     join bench.templates m on m.template = s.template`,
    `create temp table shown on commit drop as
     select b.n, t.id as occurrence, f.cause, bench.finding(b.project_id, t.finding_id, f.cause) as finding_id
     from base b join bench.occurrences t on t.template = b.template
     cross join lateral (select floor(b.causes * bench.chance(b.n, 9) ^ 4)::int as cause) f`,
    `analyze base, shown`,
    `insert into conversations (project_id, id, key, external_id, user_id, preview, trace_ids, models, sent_labels, labels, started_at,
       last_activity_at, message_count, model_call_count, tool_call_count, error_count, finding_count, unpriced_call_count,
       usage, cost, received_at, diagnosed_received_at, created_at)
     select b.project_id, b.id, case when t.external_id is null then 'trace:' || ${traceOf("1")} else 'id:session' || b.mark end,
       case when t.external_id is not null then 'session' || b.mark end, case when t.user_id is not null then b.user_name end,
       ${own("t.preview")}, array(select ${traceOf("g")} from generate_series(1, b.turns) g order by 1), t.models, t.sent_labels, t.labels, b.started_at,
       b.last_activity_at, t.message_count, t.model_call_count, t.tool_call_count, t.error_count,
       (select count(*) from shown s where s.n = b.n and not bench.dismissed(s.finding_id)), t.unpriced_call_count,
       t.usage, t.cost,
       b.last_activity_at + 500, b.last_activity_at + 500, b.started_at + 4500
     from base b join (select *, '-T' || lpad(template::text, 3, '0') as mark from bench.templates) t using (template)`,
    `insert into conversation_search (project_id, conversation_id, started_at, terms)
     select b.project_id, b.id, b.started_at, array_replace(array_replace(array_replace(array_replace(array_replace(t.terms,
       '${MARK.first}', b.first_word), '${MARK.second}', b.second_word), '${MARK.era}', b.era_word),
       '${MARK.order}', b.order_number), 'user:${MARK.user}', 'user:' || b.user_name)
     from base b join bench.conversation_search t using (template)`,
    `insert into traces (project_id, id, conversation_id, created_at)
     select b.project_id, ${traceOf("t.turn")}, b.id, b.started_at + 4500 from base b join bench.traces t using (template)`,
    `insert into spans (project_id, trace_id, span_id, parent_span_id, source_id, name, kind, status_code, status_message,
       started_us, ended_us, attributes, events)
     select b.project_id, ${traceOf("t.turn")}, ${spanOf("t.span_id")}, ${spanOf("t.parent_span_id")}, t.source_id, t.name, t.kind, t.status_code,
       ${own("t.status_message")}, t.started_us + b.shift * 1000, t.ended_us + b.shift * 1000, ${ownJson("t.attributes")}, t.events
     from base b join (select s.*, m.mark from bench.spans s join (${MARKS}) m using (template)) t using (template)`,
    `insert into log_records (project_id, id, trace_id, span_id, source_id, event_name, severity, time_us, body, attributes)
     select b.project_id, 'log_' || md5(b.n || '.' || t.id), ${traceOf("t.turn")}, ${spanOf("t.span_id")}, t.source_id, t.event_name, t.severity,
       t.time_us + b.shift * 1000, ${ownJson("t.body")}, t.attributes
     from base b join (select s.*, m.mark from bench.log_records s join (${MARKS}) m using (template)) t using (template)
     where b.n % 20 = 0`,
    `insert into conversation_messages (project_id, conversation_id, position, role, parts, tool_calls, tool_call_id, span_id, at, digest)
     select b.project_id, b.id, t.position, t.role, ${ownJson("t.parts")}, ${ownJson("t.tool_calls")}, ${own("t.tool_call_id")},
       ${spanOf("t.span_id")}, t.at + b.shift, t.digest
     from base b join (select s.*, m.mark from bench.conversation_messages s join (${MARKS}) m using (template)) t using (template)`,
    `insert into model_calls (project_id, trace_id, span_id, conversation_id, type, name, provider, requested_model,
       response_model, response_id, usage, raw_usage, usage_rule, finish_reasons, status, error, started_at, ended_at, digest,
       labels, cost_total, cost, reported_cost)
     select b.project_id, ${traceOf("t.turn")}, ${spanOf("t.span_id")}, b.id, t.type, t.name, t.provider, t.requested_model,
       t.response_model, ${own("t.response_id")}, t.usage, t.raw_usage, t.usage_rule, t.finish_reasons, t.status, t.error,
       t.started_at + b.shift, t.ended_at + b.shift, t.digest, t.labels, t.cost_total, t.cost, t.reported_cost
     from base b join (select s.*, m.mark from bench.model_calls s join (${MARKS}) m using (template)) t using (template)`,
    `insert into tool_calls (project_id, trace_id, span_id, request_number, conversation_id, call_id, name, arguments, result, error,
       started_at, ended_at, digest)
     select b.project_id, ${traceOf("t.turn")}, ${spanOf("t.span_id")}, t.request_number, b.id, ${own("t.call_id")}, t.name, ${own("t.arguments")},
       ${own("t.result")}, t.error, t.started_at + b.shift, t.ended_at + b.shift, t.digest
     from base b join (select s.*, m.mark from bench.tool_calls s join (${MARKS}) m using (template)) t using (template)`,
    `insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, backfill_id,
       trace_ids, status, attempts, result_count, skip_reason, error_message, notes, created_at, started_at, finished_at)
     select b.project_id, bench.id('run', b.last_activity_at, b.n || t.rule_id), t.rule_id, t.rule_version, b.id,
       b.last_activity_at, case when o.chance < 0.02 then 'on_demand' when o.chance < 0.05 then 'backfill' else 'automatic' end,
       case when o.chance >= 0.02 and o.chance < 0.05 then 'bf_' || floor(o.chance * 1000) end,
       array(select ${traceOf("g")} from generate_series(1, b.turns) g order by 1),
       case when o.chance > 0.998 then 'failed' else t.status end, 1, case when o.chance <= 0.998 then t.result_count end,
       t.skip_reason, case when o.chance > 0.998 then 'The worker was stopped.' end, t.notes, b.last_activity_at + 15500,
       b.last_activity_at + 15800, b.last_activity_at + 15900
     from base b join bench.rule_runs t using (template) cross join lateral (select bench.chance(b.n, 10) as chance) o`,
    `insert into occurrences (project_id, id, finding_id, conversation_id, rule_run_id, score, confidence, severity, title, summary,
       evidence, cause_ids, detected_at, created_at, updated_at)
     select b.project_id, bench.id('occ', b.last_activity_at, b.n || t.id), s.finding_id, b.id,
       bench.id('run', b.last_activity_at, b.n || r.rule_id), t.score, t.confidence, t.severity, ${own("t.title")}, ${own("t.summary")},
       ${withSpans(ownJson("t.evidence"))}, array[${causeIdOf("s.finding_id")}], b.last_activity_at, b.last_activity_at + 15900, b.last_activity_at + 15900
     from base b join shown s using (n)
     join (select o.*, m.mark from bench.occurrences o join (${MARKS}) m using (template)) t on t.template = b.template and t.id = s.occurrence
     join bench.rule_runs r on r.template = t.template and r.id = t.rule_run_id`,
    `insert into bench.causes
     select distinct b.project_id, t.finding_id, s.cause, s.finding_id
     from base b join shown s using (n) join bench.occurrences t on t.template = b.template and t.id = s.occurrence`,
    `insert into ingest_receipts (project_id, id, signal, received, stored, rejected, rejections, trace_ids, created_at)
     select project_id, bench.id('rcp', max(last_activity_at), min(n)::text), 'traces', sum(turns) * 4, sum(turns) * 4, 0, '[]',
       (array_agg(${traceOf("1")}))[1:50], max(last_activity_at)
     from (select *, row_number() over (partition by project_id order by n) / 30 as batch from base) b
     where started_at > ${Date.now() - 30 * DAY_MS} group by project_id, batch`,
  ];
}

const MARKS = `select template, '-T' || lpad(template::text, 3, '0') as mark from bench.templates`;

/** Returns a cause's id: a SHA-256, like a fingerprint. */
function causeIdOf(findingId: string) {
  return `encode(sha256(convert_to(${findingId}, 'UTF8')), 'hex')`;
}

/** Derives Findings from their occurrences, counted as \`refreshFindings\` does. */
const FINDINGS = `
  insert into findings (project_id, id, rule_id, signal, title, summary, severity, detected_severity, diagnostic_score,
    diagnostic_score_parts, review_status, resolution_status, resolved_at, regressed_at, occurrence_count, user_count,
    affected_cost, unpriced_call_count, first_detected_at, last_detected_at, created_at, updated_at)
  select o.project_id, o.finding_id, t.rule_id, t.signal, t.title || ' (' || c.cause || ')', t.summary, s.severity, s.severity,
    score.value, jsonb_build_object('severity', 0.7, 'confidence', score.value / 0.7, 'spread', 1),
    case when bench.dismissed(o.finding_id) then 'dismissed' when c.cause % 7 = 0 then 'confirmed' else 'unreviewed' end,
    case when not bench.dismissed(o.finding_id) and c.cause % 7 = 0 then case when c.cause % 2 = 0 then 'resolved' else 'unresolved' end end,
    case when not bench.dismissed(o.finding_id) and c.cause % 14 = 0 then o.last end, null, o.occurrences, o.users, o.cost, o.unpriced, o.first, o.last,
    o.first + 15900, o.last + 15900
  from (
    select o.project_id, o.finding_id, count(*) as occurrences, count(distinct c.user_id) as users, sum(c.cost) as cost, sum(c.unpriced_call_count) as unpriced,
      min(o.detected_at) as first,
      max(o.detected_at) as last
    from occurrences o join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
    where o.project_id like 'prj_scale_%' group by 1, 2
  ) o
  join (select distinct * from bench.causes) c on c.project_id = o.project_id and c.id = o.finding_id
  join bench.findings t on t.id = c.template_finding
  cross join lateral (select 0.7 * least(1, ln(1 + o.occurrences) / 8) as value) score
  cross join lateral (
    select case when c.cause % 10 = 0 then 'critical' when c.cause % 10 < 3 then 'medium' else t.severity end as severity) s`;

/** One cause for each Finding, and its conversations by day. */
const FINDING_PARTS = [
  `insert into finding_causes (project_id, id, finding_id, rule_id, signal, cause, keys, occurrence_count)
   select project_id, ${causeIdOf("id")}, id, rule_id, signal, lower(title), '{}', occurrence_count
   from findings where project_id like 'prj_scale_%'`,
  `insert into finding_days (project_id, finding_id, day, conversations)
   select project_id, finding_id, (detected_at / 86400000) * 86400000, count(*)
   from occurrences where project_id like 'prj_scale_%' group by 1, 2, 3`,
];
