import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { migrateDatabase, NewerDatabaseError, SOURCES } from "./migrate";
import { databaseProblem } from "./prepare";
import { bundledProgram } from "./testing/bundled-program";
import { onServer, urlOf } from "./testing/template";

const FOLDER = SOURCES.migrations;
type Journal = { entries: { idx: number; tag: string; when: number }[] };
const journal = JSON.parse(readFileSync(path.join(FOLDER, "meta/_journal.json"), "utf8")) as Journal;

const made: string[] = [];
const roles: string[] = [];
const folders: string[] = [];
afterAll(async () => {
  for (const name of made) await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  for (const role of roles) await onServer((sql) => sql.unsafe(`drop role if exists ${role}`));
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function emptyDatabase() {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  made.push(name);
  await onServer((sql) => sql.unsafe(`create database ${name} template template0`));
  return urlOf(name);
}

const on = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

/** Copies the first `count` migrations into a folder of their own. */
function firstMigrations(count: number) {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-migrations-"));
  folders.push(folder);
  cpSync(FOLDER, folder, { recursive: true });
  writeFileSync(
    path.join(folder, "meta/_journal.json"),
    JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }),
  );
  return { migrations: folder, functions: noFunctions() };
}

/** An empty functions folder, for releases that defined functions in migrations. */
function noFunctions() {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-functions-"));
  folders.push(folder);
  return folder;
}

/** Returns the URL of a role that does not exist yet, as the application would use it. */
function newRole(url: string) {
  const username = `app_${crypto.randomUUID().replaceAll("-", "")}`;
  roles.push(username);
  return Object.assign(new URL(url), { username, password: "it's \\ secret" }).href;
}

test("eight processes that start together migrate once, and all of them start", async () => {
  const url = await emptyDatabase();
  const applicationUrl = newRole(url);
  const program = await bundledProgram("cli/prepare.ts");
  const starts = Array.from({ length: 8 }, () => {
    const child = spawn(process.execPath, ["--conditions=react-server", program.file], {
      env: { ...process.env, DATABASE_URL: applicationUrl, MIGRATION_DATABASE_URL: url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    return new Promise<{ code: number | null; said: string }>((resolve) =>
      child.on("close", (code) => resolve({ code, said })),
    );
  });
  for (const { code, said } of await Promise.all(starts)) expect({ code, said }).toEqual({ code: 0, said: "" });
  await program.remove();
  const applied = await on(
    url,
    (sql) => sql`select created_at::float8 as at from drizzle.__drizzle_migrations order by id`,
  );
  expect(applied.map((row) => row.at)).toEqual(journal.entries.map((entry) => entry.when));
}, 120_000);

test("a database of the first release migrates to the newest schema with all its data", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(1));
  await on(url, (sql) => sql.unsafe(FIRST_RELEASE_DATA));
  const content = async (sql: postgres.Sql) => {
    const found: Record<string, unknown> = {};
    for (const table of TABLES_WITH_DATA) {
      // The words of conversations and the causes of Findings moved to tables of their own.
      const rows = await sql.unsafe(
        `select to_jsonb(t) - 'words' - 'fingerprint' - 'cause' as row from ${table} t order by 1`,
      );
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  };
  const before = await on(url, content);
  for (const rows of Object.values(before)) expect((rows as unknown[]).length).toBeGreaterThan(0);
  await migrateDatabase(url);
  const after = await on(url, content);
  // Columns may have been added, but existing values are unchanged.
  expect(after).toMatchObject(before);
  const [search] = await on(url, (sql) => sql`select started_at::int as at, terms from conversation_search`);
  expect(search).toEqual({ at: 1, terms: ["hello", "user:u"] });
  const causes = await on(
    url,
    (sql) => sql`
    select c.id, c.finding_id, c.rule_id, c.signal, c.cause, o.cause_ids
    from finding_causes c join occurrences o on o.finding_id = c.finding_id`,
  );
  expect([...causes]).toEqual([
    { id: "f", finding_id: "fnd_1", rule_id: "agent-loop", signal: "x", cause: "c", cause_ids: ["f"] },
  ]);
  const days = await on(
    url,
    (sql) =>
      sql`select day::int, label, calls::int, unpriced_calls::int as unpriced, cost, usage from daily_label_costs`,
  );
  expect([...days]).toEqual([{ day: 0, label: "", calls: 1, unpriced: 0, cost: "0.000123456789", usage: {} }]);
  const [newest] = await on(url, (sql) => sql`select max(created_at)::float8 as at from drizzle.__drizzle_migrations`);
  expect(newest!.at).toBe(journal.entries.at(-1)!.when);
  // The schema equals that of a fresh installation.
  const fresh = await emptyDatabase();
  await migrateDatabase(fresh);
  const shape = (sql: postgres.Sql) => sql`
    select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'public' order by 1, 2`;
  expect(await on(url, async (sql) => [...(await shape(sql))])).toEqual(
    await on(fresh, async (sql) => [...(await shape(sql))]),
  );
});

test("labels stored before people could add any are treated as sent by the client", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(journal.entries.findIndex(({ tag }) => tag === "0013_own_labels")));
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at, labels)
      values ('prj_1', 'conv_1', 'id:a', 1, 2, 3, '{beta,web}'), ('prj_1', 'conv_2', 'id:b', 1, 2, 3, '{}')`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select labels, sent_labels, own_labels from conversations order by id`);
  expect([...rows]).toEqual([
    { labels: ["beta", "web"], sent_labels: ["beta", "web"], own_labels: [] },
    { labels: [], sent_labels: [], own_labels: [] },
  ]);
});

test("a single sign-on session of the previous release expires after 12 h, a password session does not", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(journal.entries.findIndex(({ tag }) => /sign_in_safety$/.test(tag))));
  await on(url, (sql) =>
    sql.unsafe(`insert into users (id, email) values ('usr_1', 'ann@example.test');
    insert into sessions (id, user_id, created_at, last_seen_at, expires_at)
      values ('ses_acme', 'usr_1', 5, 5, 2592000005), ('ses_password', 'usr_1', 5, 5, 2592000005);
    insert into account_audit_log (id, user_id, action, actor_kind, target_type, target_id, after)
      values ('aud_1', 'usr_1', 'account.signIn', 'user', 'session', 'ses_acme', '{"by": "Acme"}'),
        ('aud_2', 'usr_1', 'account.signIn', 'user', 'session', 'ses_password', '{"by": "password"}')`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select id, expires_at::float8 as ends from sessions order by id`);
  expect([...rows]).toEqual([
    { id: "ses_acme", ends: 43_200_005 },
    { id: "ses_password", ends: 2_592_000_005 },
  ]);
});

test("every day with calls of an earlier release is to be counted by user", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(
    url,
    firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("_daily_user_costs"))),
  );
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop'), ('prj_2', 'Bank');
    insert into daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage, folded)
      values ('prj_1', 86400000, 'a', '', '', '', 1, 0, 1, '{}', true), ('prj_1', 86400000, 'b', '', '', '', 1, 0, 1, '{}', false),
        ('prj_2', 0, 'a', '', '', '', 1, 0, 1, '{}', true)`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select project_id, day::float8 as day from stale_user_days order by 1`);
  expect([...rows]).toEqual([
    { project_id: "prj_1", day: 86_400_000 },
    { project_id: "prj_2", day: 0 },
  ]);
});

test("a Finding of an earlier release gets the number of its unpriced calls", async () => {
  const url = await emptyDatabase();
  const before = journal.entries.findIndex(({ tag }) => tag.endsWith("_finding_unpriced_calls"));
  await migrateDatabase(url, firstMigrations(before));
  const finding = (id: string) => `('prj_1', '${id}', 'agent-loop', 'x', '${id}', 'c', 't', 's', 'high', 0.5,
    '{"severity":1,"confidence":1,"spread":0.5}', 'confirmed', 1, 2, 3)`;
  const shows = (findingId: string, conversation: number) =>
    `('prj_1', '${findingId}_${conversation}', '${findingId}', 'conv_${conversation}', 1, 1, 'high', 't', 's', '[]', 1, 2)`;
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at, unpriced_call_count)
      values ('prj_1', 'conv_1', 'id:a', 1, 2, 3, 2), ('prj_1', 'conv_2', 'id:b', 1, 2, 3, 3), ('prj_1', 'conv_3', 'id:c', 1, 2, 3, 0);
    insert into findings (project_id, id, rule_id, signal, fingerprint, cause, title, summary, severity, diagnostic_score,
      diagnostic_score_parts, review_status, first_detected_at, last_detected_at, updated_at)
      values ${finding("fnd_1")}, ${finding("fnd_2")};
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary, evidence,
      detected_at, updated_at)
      values ${shows("fnd_1", 1)}, ${shows("fnd_1", 2)}, ${shows("fnd_1", 3)}, ${shows("fnd_2", 3)}`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select id, unpriced_call_count::int as calls from findings order by id`);
  expect([...rows]).toEqual([
    { id: "fnd_1", calls: 5 },
    { id: "fnd_2", calls: 0 },
  ]);
});

test("causes that may be grouped otherwise now are placed again, and others and those beyond the limit stay", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("_missing-things"))));
  const finding = (
    id: string,
    gathers: boolean,
  ) => `('prj_1', '${id}', 'tool-failure', 'tool_error', 't', 's', 'high', 'high', 0.5,
    '{"severity":1,"confidence":1,"spread":0.5}', 'unreviewed', 1, 2, 3, ${gathers})`;
  const cause = (id: string, findingId: string, signal: string, said: string, keys = "{k}") =>
    `('prj_1', '${id}', '${findingId}', '${signal === "tool_error" ? "tool-failure" : "user-dissatisfaction"}', '${signal}',
      '${said}', '${keys}', 1)`;
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into findings (project_id, id, rule_id, signal, title, summary, severity, detected_severity, diagnostic_score, diagnostic_score_parts,
      review_status, first_detected_at, last_detected_at, updated_at, gathers_rest)
      values ${finding("fnd_1", false)}, ${finding("fnd_2", true)};
    insert into finding_causes (project_id, id, finding_id, rule_id, signal, cause, keys, occurrence_count)
      values ${cause("missing", "fnd_1", "tool_error", "get: error: user <id> not found")},
        ${cause("left", "fnd_1", "abandonment", "the user gives up after another failure")},
        ${cause("other", "fnd_1", "tool_error", "get: the seat is taken")},
        ${cause("asked", "fnd_1", "escalation_request", "asks for a person")},
        ${cause("alike", "fnd_1", "tool_error", "get: error: seat <n> not found", "{}")},
        ${cause("rest", "fnd_2", "tool_error", "get: error: order <id> not found")}`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select id from finding_causes where keys is null order by id`);
  expect([...rows].map(({ id }) => id)).toEqual(["left", "missing"]);
});

test("settings of training that every trainer refuses go back to their default, and others stay", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(
    url,
    firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("_trainable-settings"))),
  );
  const config = (
    id: string,
    settings: object,
  ) => `('prj_1', '${id}', '${id}', 'dat_1', '{"id":"m"}', 'transformers', 'sft', 'lora',
    '${JSON.stringify(settings)}', false, 1, 0, 1, '{}', 'user', 1, 1)`;
  const kept = { lora: { loraDropout: 0.1 }, training: { lossType: "dft", warmupRatio: 0.5 } };
  const refused = { lora: { r: 8, loraDropout: 1 }, training: { seed: 1, lossType: "cross", warmupRatio: 1 } };
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into datasets (project_id, id, name, actor_kind, created_at) values ('prj_1', 'dat_1', 'Answers', 'user', 1);
    insert into tuning_configs (project_id, id, name, dataset_id, base_model, engine, method, adapter, settings, trigger_enabled,
      min_new_examples, cooldown_minutes, daily_cap, deployment, actor_kind, created_at, updated_at)
      values ${config("a", kept)}, ${config("b", refused)}`),
  );
  await migrateDatabase(url);
  const rows = await on(url, (sql) => sql`select settings from tuning_configs order by id`);
  expect([...rows]).toEqual([{ settings: kept }, { settings: { lora: { r: 8 }, training: { seed: 1 } } }]);
});

test("conversations whose errors or traces an earlier version read differently are queued for projection", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(
    url,
    firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("projection_backlog"))),
  );
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at, trace_ids, tool_call_count) values
      ('prj_1', 'conv_1', 'id:a', 1, 2, 3, '{a}', 0), ('prj_1', 'conv_2', 'id:b', 1, 2, 30, '{b}', 1),
      ('prj_1', 'conv_3', 'id:c', 1, 3, 40, '{c,d}', 0), ('prj_1', 'conv_4', 'id:d', 1, 3, 3, '{}', 2)`),
  );
  await migrateDatabase(url);
  const rows = await on(
    url,
    (sql) => sql`select trace_id, received_at::int as received, backlog from projection_queue order by id`,
  );
  expect([...rows]).toEqual([
    { trace_id: "c", received: 40, backlog: true },
    { trace_id: "b", received: 30, backlog: true },
  ]);
});

test("Rule Runs get the revision of the settings that they used, and earlier settings keep their content", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("_rule_revisions"))));
  const run = (id: string, rule: string, at: number, status: string, startedAt: number | null) =>
    `('prj_1', '${id}', '${rule}', 1, 'conv_1', ${at}, 'automatic', '{t1}', '${status}', ${startedAt}, ${status === "failed" ? "'away'" : "null"})`;
  await on(url, (sql) =>
    sql.unsafe(`insert into projects (id, name) values ('prj_1', 'Shop');
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at) values ('prj_1', 'conv_1', 'id:a', 1, 2, 3);
    insert into rule_settings (project_id, id, enabled, configuration, updated_at)
      values ('prj_1', 'tool-failure', false, '{"keywords": ["refund"]}', 100);
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, trace_ids, status, started_at, error_message)
      values ${run("run_1", "tool-failure", 1, "completed", 99)}, ${run("run_2", "tool-failure", 2, "completed", 100)},
        ${run("run_3", "tool-failure", 3, "queued", null)}, ${run("run_4", "tool-failure", 4, "failed", 50)},
        ${run("run_5", "agent-loop", 1, "completed", 200)}`),
  );
  await migrateDatabase(url);
  const runs = await on(
    url,
    (sql) => sql`select id, configuration_revision as revision, traces_key, trace_ids from rule_runs order by id`,
  );
  expect([...runs]).toEqual(
    [1, 2, 2, 2, 1].map((revision, n) => ({ id: `run_${n + 1}`, revision, traces_key: "", trace_ids: ["t1"] })),
  );
  const settings = await on(url, (sql) => sql`select id, revision, enabled, configuration from rule_settings`);
  expect([...settings]).toEqual([
    { id: "tool-failure", revision: 2, enabled: false, configuration: { keywords: ["refund"] } },
  ]);
});

test("the person who set up an installation owns it after the update, and project owners may still create projects", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url, firstMigrations(journal.entries.findIndex(({ tag }) => tag.endsWith("_people"))));
  await on(url, (sql) =>
    sql.unsafe(`insert into users (id, email, created_at) values ('usr_1', 'a@x.test', 1), ('usr_2', 'b@x.test', 2), ('usr_3', 'c@x.test', 3);
    insert into projects (id, name) values ('prj_1', 'Shop');
    insert into memberships (project_id, user_id, role) values ('prj_1', 'usr_2', 'owner'), ('prj_1', 'usr_3', 'owner'), ('prj_1', 'usr_1', 'viewer');
    insert into account_audit_log (id, user_id, action, actor_kind) values ('aud_1', 'usr_2', 'setup.complete', 'user')`),
  );
  await migrateDatabase(url);
  const rows = await on(
    url,
    (sql) =>
      sql`select id, installation_owner as owner, may_create_projects as may, disabled_at from users order by id`,
  );
  expect([...rows]).toEqual([
    { id: "usr_1", owner: false, may: false, disabled_at: null },
    { id: "usr_2", owner: true, may: true, disabled_at: null },
    { id: "usr_3", owner: false, may: true, disabled_at: null },
  ]);
});

test("a database written by a later version is refused and left unchanged", async () => {
  const url = await emptyDatabase();
  await migrateDatabase(url);
  const later = Math.max(...journal.entries.map((entry) => entry.when)) + 1;
  await on(url, (sql) => sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${later})`);
  const refused = await migrateDatabase(url).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NewerDatabaseError);
  expect(databaseProblem(refused, url)).toContain("newer version of Whetstone");
});

const TABLES_WITH_DATA = [
  "users",
  "sessions",
  "projects",
  "memberships",
  "api_keys",
  "conversations",
  "traces",
  "span_sources",
  "spans",
  "log_records",
  "conversation_messages",
  "model_calls",
  "tool_calls",
  "ingest_receipts",
  "projection_queue",
  "diagnostic_settings",
  "rule_settings",
  "rule_runs",
  "findings",
  "occurrences",
  "model_price_definitions",
  "job_events",
  "job_runs",
  "job_steps",
  "job_schedules",
  "login_attempts",
  "setup_tokens",
];

/** Rows as the first release wrote them, with only the columns of that release. */
const FIRST_RELEASE_DATA = `
insert into users (id, email, password_hash) values ('usr_1', 'Ann@example.test', 'hash');
insert into sessions (id, user_id, last_seen_at, expires_at) values ('ses_1', 'usr_1', 1, 2);
insert into projects (id, name) values ('prj_1', 'Shop'), ('prj_2', 'Other');
insert into memberships (project_id, user_id, role) values ('prj_1', 'usr_1', 'owner');
insert into api_keys (project_id, id, name, hash, hint, capabilities) values ('prj_1', 'key_1', 'Default', 'h', 'abcd', '{telemetry:write}');
insert into conversations (project_id, id, key, external_id, user_id, started_at, last_activity_at, received_at, trace_ids, words)
  values ('prj_1', 'conv_1', 'id:s', 's', 'u', 1, 2, 3, '{t}', '{hello}');
insert into traces (project_id, id, conversation_id) values ('prj_1', 't', 'conv_1');
insert into span_sources (project_id, id, resource, scope_name, scope_version) values ('prj_1', 'src', '{"service.name": "shop"}', 's', '1');
insert into spans (project_id, trace_id, span_id, source_id, name, kind, status_code, started_us, ended_us, attributes)
  values ('prj_1', 't', 's1', 'src', 'chat', 1, 0, 1, 2, '{"a": "b"}');
insert into log_records (project_id, id, trace_id, source_id, time_us, attributes) values ('prj_1', 'log_1', 't', 'src', 1, '{}');
insert into conversation_messages (project_id, conversation_id, position, role, parts, tool_calls, digest)
  values ('prj_1', 'conv_1', 0, 'user', '[{"type": "text", "text": "hello"}]', '[]', 'd');
insert into model_calls (project_id, trace_id, span_id, conversation_id, type, name, finish_reasons, status, started_at, ended_at, digest, cost_total)
  values ('prj_1', 't', 's1', 'conv_1', 'llm', 'chat', '{stop}', 'ok', 1, 2, 'd', 0.000123456789);
insert into tool_calls (project_id, trace_id, span_id, conversation_id, name, started_at, ended_at, digest)
  values ('prj_1', 't', 's2', 'conv_1', 'lookup', 1, 2, 'd');
insert into ingest_receipts (project_id, id, signal, received, stored, rejected, rejections, trace_ids)
  values ('prj_1', 'rcp_1', 'traces', 1, 1, 0, '[]', '{t}');
insert into projection_queue (project_id, trace_id, received_at) values ('prj_1', 't', 3);
insert into diagnostic_settings (project_id, automatic_scheduling_enabled, updated_at) values ('prj_1', false, 1);
insert into rule_settings (project_id, id, enabled, configuration, updated_at) values ('prj_1', 'agent-loop', false, '{}', 1);
insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status)
  values ('prj_1', 'run_1', 'agent-loop', 1, 'conv_1', 2, 'automatic', 'completed');
insert into findings (project_id, id, rule_id, signal, fingerprint, cause, title, summary, severity, diagnostic_score, diagnostic_score_parts,
  review_status, first_detected_at, last_detected_at, updated_at)
  values ('prj_1', 'fnd_1', 'agent-loop', 'x', 'f', 'c', 't', 's', 'high', 0.5, '{"severity":1,"confidence":1,"spread":0.5}', 'confirmed', 1, 2, 3);
insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary, evidence, detected_at, updated_at)
  values ('prj_1', 'occ_1', 'fnd_1', 'conv_1', 1, 1, 'high', 't', 's', '[]', 1, 2);
insert into model_price_definitions (project_id, id, version, provider, model_name, match_pattern, pricing_tiers, effective_from)
  values ('prj_1', 'mp_1', 1, 'openai', 'gpt', '^gpt$', '[]', 0);
insert into job_events (id, project_id, name, data) values ('evt_1', 'prj_1', 'x', '{"projectId": "prj_1"}');
insert into job_runs (id, project_id, function_id, event_id, event, state, max_attempts, lane)
  values ('jr_1', 'prj_1', 'whetstone-x', 'evt_1', '{"id":"evt_1","name":"x","data":{},"ts":1}', 'queued', 5, 'l');
insert into job_steps (run_id, id, op, state) values ('jr_1', 'abc', 'StepRun', 'completed');
insert into job_schedules (function_id, cron, next_at) values ('whetstone-x', '* * * * *', 1);
insert into login_attempts (subject, window_start, failures) values ('ann@example.test', 1, 2);
insert into setup_tokens (hash, used_at) values ('h', 1);
`;
