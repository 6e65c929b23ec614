import { randomBytes } from "node:crypto";
import path from "node:path";
import postgres from "postgres";
import { HOUR_MS } from "@/server/platform/durations";
import { gather } from "../../bench/chaos/evidence";
import { judge } from "../../bench/chaos/judge";
import { startLoad } from "../../bench/chaos/load";
import { newProject, type TestProject } from "../../testbed/data/project";
import { askForRuns, headers, knownTrace, sendTrace } from "../../testbed/product/known-load";
import { startOwnDatabase } from "../../testbed/product/own-database";
import { killTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { expect, test } from "../support/test";

/** The product twice on one database, each with a web process and a worker; the second clock is hours ahead. */

const REQUESTS_A_MINUTE = 600;
const AHEAD_MS = 7 * HOUR_MS;
const WAIT_MS = 60_000;

let database: Awaited<ReturnType<typeof startOwnDatabase>>;
const machines: Awaited<ReturnType<typeof startProduct>>[] = [];
let project: TestProject;
let writer: string;
let env: Record<string, string>;
let sql: postgres.Sql;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  database = await startOwnDatabase();
  env = {
    DATABASE_URL: database.applicationUrlOf("whetstone"),
    MIGRATION_DATABASE_URL: database.urlOf("whetstone"),
    WHETSTONE_SECRET: randomBytes(32).toString("base64url"),
    RATE_LIMIT_KEY_REQUESTS: String(REQUESTS_A_MINUTE),
    DIAGNOSE_AFTER_QUIET_SECONDS: "3600",
  };
  const preload = `--import ${path.resolve("testbed/servers/shifted-clock.mjs")}`;
  const first = await startProduct({ env });
  machines.push(first);
  // Before the second machine starts, whose one-time link would replace the first one's.
  project = await newProject(first.url, first.dataDir);
  machines.push(await startProduct({ env: { ...env, NODE_OPTIONS: preload, CLOCK_SHIFT_MS: String(AHEAD_MS) } }));
  writer = await project.newKey("diagnostics:write", "diagnostics:read");
  sql = postgres(database.urlOf("whetstone"), { max: 2, onnotice: () => {} });
});

test.afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await Promise.all(machines.map((machine) => machine.stop()));
  await database?.remove();
});

const urls = () => machines.map(({ url }) => url);

test("rate limits and idempotency keys apply across both machines", async () => {
  const [one, other] = urls() as [string, string];
  const sent = knownTrace("shared");
  expect((await sendTrace(project, one, sent)).status).toBe(200);
  const readAt = (url: string) =>
    fetch(`${url}/v1/projects/${project.projectId}/conversations`, { headers: headers(project) });
  await expect
    .poll(async () => (await (await readAt(other)).json()).conversations, { timeout: WAIT_MS })
    .toHaveLength(1);

  const ask = (n: number) =>
    askForRuns(project, [one, other][n % 2] as string, { writer, session: "shared", activity: 1, key: "one-key" });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
  // 409: the other machine is handling the request.
  expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);
  await expect.poll(async () => (await ask(1)).status, { timeout: WAIT_MS }).toBe(202);
  const told = await Promise.all([ask(0), ask(1)].map(async (reply) => (await reply).json()));
  expect(told[1]).toEqual(told[0]);
  const [audited] = await sql`select count(*)::int from audit_log where action = 'ruleRuns.create'`;
  expect(audited?.count).toBe(1);

  const limited = await project.newKey("workspace:read");
  const begun = performance.now();
  const askLimited = async (n: number) => {
    const url = [one, other][n % 2];
    const reply = await fetch(`${url}/v1/projects/${project.projectId}`, { headers: headers({ secret: limited }) });
    await reply.arrayBuffer();
    return reply.status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < REQUESTS_A_MINUTE * 1.5; n += 50) {
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => askLimited(n + i)))));
  }
  const passed = statuses.filter((status) => status === 200).length;
  const flowedIn = ((performance.now() - begun) / 60_000) * REQUESTS_A_MINUTE;
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(passed).toBeLessThanOrEqual(REQUESTS_A_MINUTE + Math.ceil(flowedIn));
  // Tokens that a process has reserved but not spent are at most a twentieth of the bucket.
  expect(passed).toBeGreaterThanOrEqual(REQUESTS_A_MINUTE * 0.9);
});

test("under load on two machines each job runs once, and killing one of them loses nothing", async () => {
  test.setTimeout(180_000);
  let turn = 0;
  const alive = [...urls()];
  // A separate project, so that the previous test's requests are not counted.
  const fresh = await newProject(machines[0]!.url, machines[0]!.dataDir);
  const key = await fresh.newKey("diagnostics:write", "diagnostics:read");
  const { load, stop } = startLoad(fresh, key, () => alive[turn++ % alive.length] as string);
  await expect.poll(() => load.asked.length, { timeout: WAIT_MS }).toBeGreaterThan(3);
  killTree(machines[0]!.pid);
  const atKill = load.acknowledged.length;
  alive.shift();
  await expect.poll(() => load.acknowledged.length, { timeout: WAIT_MS }).toBeGreaterThan(atKill + 100);
  await stop();

  const found = await gather(sql, fresh.projectId, { diagnosed: false });
  const verdicts = judge({
    ...found,
    ...load,
    sessions: new Set(load.asked.map(({ session }) => session)),
    notBack: [],
  });
  // No conversation was inactive for an hour, whatever the second machine's clock shows.
  expect(found.runs.length).toBe(new Set(load.asked.flatMap(({ runIds }) => runIds)).size);
  expect(verdicts.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
});
