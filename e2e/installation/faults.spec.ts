import { availableParallelism } from "node:os";
import postgres from "postgres";
import { type Link, startLink } from "../../testbed/data/link";
import { newProject, otelVariables, type TestProject } from "../../testbed/data/project";
import { runClient } from "../../testbed/product/client";
import { startOwnDatabase } from "../../testbed/product/own-database";
import { processTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { startRelay } from "../../testbed/servers/relay";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The product on an external database, over a network whose faults the test controls. */

const STATEMENT_SECONDS = 5;
/** Per process. */
const CONNECTIONS = 10;
/** Of all receiving threads: half as many, or two for each. */
const TELEMETRY_CONNECTIONS = Math.max(CONNECTIONS / 2, 2 * Math.min(4, availableParallelism() - 1));
/** By default, an exporter allows ten seconds for all of its attempts. */
const PATIENT = { OTEL_EXPORTER_OTLP_TIMEOUT: "120000", OTEL_BSP_EXPORT_TIMEOUT: "120000" };
/** A response must arrive, whatever it is: far longer than it takes on any machine, but finite. */
const ANSWER_MS = 45_000;

let database: Awaited<ReturnType<typeof startOwnDatabase>>;
let link: Link;
let product: Awaited<ReturnType<typeof startProduct>>;
/** A connection to the database that bypasses the product's link. */
let sql: postgres.Sql;
let project: TestProject;
let others: [TestProject, TestProject];

test.beforeAll(async () => {
  database = await startOwnDatabase();
  link = await startLink(database.port);
  product = await startProduct({
    env: {
      DATABASE_URL: database.urlOf("whetstone", link.port),
      DATABASE_STATEMENT_SECONDS: String(STATEMENT_SECONDS),
      DATABASE_POOL_SIZE: String(CONNECTIONS),
    },
  });
  const newOne = () => newProject(product.url, product.dataDir);
  project = await newOne();
  others = [await newOne(), await newOne()];
  sql = postgres(database.urlOf("whetstone"), { max: 2, onnotice: () => {} });
});

test.afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await product?.stop();
  await link?.stop();
  await database?.remove();
});

test.afterEach(() => {
  const { status, expectedStatus } = test.info();
  if (status !== expectedStatus) console.log(product?.output());
});

const ask = (who: TestProject, path: string, init: RequestInit = {}) =>
  fetch(`${who.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${who.secret}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
const list = (who = project) => ask(who, `/v1/projects/${who.projectId}/conversations`);
const send = (who = project, batch: object = {}) =>
  ask(who, "/v1/otlp/v1/traces", { method: "POST", body: JSON.stringify(batch) });
const readiness = async () => {
  const reply = await ask(project, "/readyz");
  return { http: reply.status, ...(await reply.json()) };
};
const untilReady = () =>
  expect.poll(async () => (await readiness()).status, { timeout: ANSWER_MS, intervals: [200] }).toBe("ready");

/** Waits until no connection is left from an outage: each fails the next request that gets it. */
const untilRecovered = () =>
  expect
    .poll(
      async () => {
        const requests = [project, ...others].flatMap((who) => [list(who), list(who), send(who), send(who)]);
        return new Set((await Promise.all(requests)).map(({ status }) => status));
      },
      { timeout: ANSWER_MS },
    )
    .toEqual(new Set([200]));

async function expectUnavailable(reply: Response, detail: string) {
  expect(await reply.json()).toMatchObject({
    status: 503,
    code: "unavailable",
    detail: expect.stringContaining(detail),
  });
  expect(reply.status).toBe(503);
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(2);
}

const spansOf = async (who: TestProject) =>
  (await sql`select trace_id, span_id from spans where project_id = ${who.projectId}`).length;

test("a database outage is reported by pages, /v1 and health checks, loses no exported spans and needs no restart", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const relays = [await startRelay(product.url), await startRelay(product.url)] as const;
  const exported = [
    { protocol: "http/json", to: others[0], relay: relays[0] },
    { protocol: "http/protobuf", to: others[1], relay: relays[1] },
  ];
  await signIn(page, project);
  const processes = processTree(product.pid);

  await database.stop();
  await expectUnavailable(await send(), "cannot be reached");
  await expectUnavailable(await list(), "cannot be reached");
  expect(await readiness()).toMatchObject({
    http: 503,
    checks: { database: { status: "failing" }, jobs: { status: "unknown" }, projector: { status: "unknown" } },
  });
  expect((await ask(project, "/healthz")).status).toBe(200);

  const clients = exported.map(({ protocol, to, relay }) =>
    runClient("manual-spans", {
      ...otelVariables(relay.url, to.secret),
      ...PATIENT,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    }),
  );
  const opened = page.goto(`${project.url}/p/${project.projectId}/conversations`);
  await expect(seen(page, "The database cannot be reached.")).toBeVisible({ timeout: ANSWER_MS });
  await opened;
  for (const { statuses } of relays) {
    await expect.poll(() => statuses, { message: "an exporter's first try fails", timeout: ANSWER_MS }).toContain(503);
  }
  await database.start();

  await untilReady();
  await untilRecovered();
  await expect(page.getByRole("heading", { name: "Conversations" })).toBeVisible({ timeout: ANSWER_MS });
  await Promise.all(clients);
  for (const { stop } of relays) stop();
  for (const { to } of exported) {
    expect(await spansOf(to)).toBe(4);
    const read = async () => (await to.read("conversations")).conversations as unknown as object[];
    await expect.poll(read, { timeout: ANSWER_MS }).toMatchObject([{ modelCallCount: 2, toolCallCount: 1 }]);
  }
  expect(processTree(product.pid)).toEqual(processes);
});

for (const mood of ["closes", "silent"] as const) {
  test(`a database network that ${mood === "closes" ? "closes every connection" : "swallows everything"} causes 503 responses until it recovers`, async () => {
    test.setTimeout(180_000);
    link.turn(mood);
    const [read, sent, ready] = await Promise.all([list(), send(), readiness()]);
    await expectUnavailable(read, "cannot be reached");
    await expectUnavailable(sent, "cannot be reached");
    expect(ready).toMatchObject({ http: 503, checks: { database: { status: "failing" } } });
    link.turn("carries");
    await untilReady();
    await untilRecovered();
  });
}

const traceOf = (id: string) => id.padStart(32, "a");

/** A batch with one trace of model calls; another `id` makes it another trace. */
const batch = (id: string, calls = ["1", "2"]) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: calls.map((n) => ({
            traceId: traceOf(id),
            spanId: n.padStart(16, "b"),
            name: "chat gpt-4o",
            kind: 3,
            startTimeUnixNano: `${Date.now()}000000`,
            endTimeUnixNano: `${Date.now()}000000`,
            attributes: [
              { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
              { key: "gen_ai.request.model", value: { stringValue: "gpt-4o" } },
              { key: "session.id", value: { stringValue: id } },
            ],
          })),
        },
      ],
    },
  ],
});

test("with a full disk, writes are rejected entirely and reads succeed, until there is room again", async () => {
  const stored = () => sql`
    select (select count(*) from traces) as traces, (select count(*) from span_sources) as sources,
           (select count(*) from spans) as spans, (select count(*) from projection_queue) as queue,
           (select count(*) from ingest_receipts) as receipts`;
  const before = await stored();
  await sql`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;
  await sql`create trigger no_room before insert on spans for each statement execute function no_room()`;
  try {
    await expectUnavailable(await send(project, batch("1")), "out of disk space");
    expect(await stored()).toEqual(before);
    expect((await list()).status).toBe(200);
    const { http, checks } = await readiness();
    expect([http, checks.database.reason]).toEqual([503, expect.stringContaining("out of disk space")]);
    expect(checks.projector.status).toBe("ok");
  } finally {
    await sql`drop function no_room cascade`;
  }
  expect((await send(project, batch("1"))).status).toBe(200);
  expect(await spansOf(project)).toBe(2);
  await untilReady();
});

test("hanging requests time out with an error, and one project's do not block another's", async () => {
  test.setTimeout(180_000);
  const [slow, quick] = others;
  const before = await spansOf(slow);
  const holder = await sql.reserve();
  await holder`select pg_advisory_lock(hashtextextended(${`sources ${slow.projectId}`}, 0))`;
  let answered = 0;
  const hanging = Array.from({ length: 12 }, async (_, n) => {
    const reply = await send(slow, batch(`${n}`));
    answered += 1;
    return reply;
  });
  const answers = await Promise.all([send(quick, batch("1")), list(quick), send(quick, batch("2")), list(quick)]);
  expect(answers.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
  expect(answered, "no hanging request had to time out first").toBe(0);
  for (const reply of await Promise.all(hanging)) {
    expect(reply.status).toBe(503);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(2);
    expect((await reply.json()).detail).toMatch(/takes too long|keeping the database busy/);
  }
  await holder`select pg_advisory_unlock_all()`;
  holder.release();
  expect(await spansOf(slow)).toBe(before);
  await expect.poll(async () => (await send(slow, batch("1"))).status, { timeout: ANSWER_MS }).toBe(200);
  expect(await spansOf(slow)).toBe(before + 2);
});

test("pages and /v1, and arriving telemetry, use no more connections than are configured", async ({ page }) => {
  await signIn(page, project);
  const open = async (name: string) =>
    (await sql`select 1 from pg_stat_activity where application_name = ${name} and datname = current_database()`)
      .length;
  // Idle connections are closed, so what matters is how many there are meanwhile.
  const most = { whetstone: 0, "whetstone telemetry": 0 };
  let isAnswered = false;
  const watched = (async () => {
    while (!isAnswered) {
      for (const name of ["whetstone", "whetstone telemetry"] as const)
        most[name] = Math.max(most[name], await open(name));
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => [
      ...[project, ...others].map(async (who) => (await list(who)).status),
      ...[project, ...others].map(async (who) => (await send(who, batch(`9${n}`))).status),
      page.request.get(`${project.url}/p/${project.projectId}/findings`).then((page) => page.status()),
    ]).flat(),
  ).finally(() => {
    isAnswered = true;
  });
  await watched;
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(most.whetstone).toBeGreaterThan(1);
  expect(most.whetstone).toBeLessThanOrEqual(CONNECTIONS);
  expect(most["whetstone telemetry"]).toBeGreaterThan(1);
  expect(most["whetstone telemetry"]).toBeLessThanOrEqual(TELEMETRY_CONNECTIONS);
});

test("requests succeed over a slow database connection", async () => {
  link.turn("slow");
  try {
    expect((await list()).status).toBe(200);
    expect((await send(project, batch("3"))).status).toBe(200);
  } finally {
    link.turn("carries");
  }
});

test("a trace that cannot be rebuilt is reported, and all others are processed", async () => {
  const [who, neighbour] = others;
  const conversationOf = async (of: TestProject, id: string) => {
    const reply = await ask(of, `/v1/projects/${of.projectId}/traces/${traceOf(id)}`);
    return reply.ok ? (await reply.json()).trace.conversationId : null;
  };
  // Slowed down by an earlier test, the server may reject a batch for a moment, which exporters handle by retrying.
  const sendStored = (of: TestProject, body: object) =>
    expect.poll(async () => (await send(of, body)).status, { timeout: ANSWER_MS }).toBe(200);
  await sendStored(who, batch("7"));
  await expect.poll(() => conversationOf(who, "7"), { timeout: ANSWER_MS }).not.toBeNull();
  await sql`update spans set attributes = 'null' where project_id = ${who.projectId} and trace_id = ${traceOf("7")}`;
  await sendStored(who, batch("7", ["3"]));
  for (const of of [who, neighbour]) {
    await sendStored(of, batch("8"));
    await expect.poll(() => conversationOf(of, "8"), { timeout: ANSWER_MS }).not.toBeNull();
  }
  await expect
    .poll(async () => (await readiness()).checks.projector.reason, { timeout: ANSWER_MS })
    .toContain("could not be rebuilt");
  expect(await readiness()).toMatchObject({ http: 200, status: "ready" });
});
