import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { Inngest } from "inngest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { dispatchEvents } from "@/server/engine/events/dispatch";
import { forwardEvents, startForwarder } from "@/server/engine/events/forwarder";
import { readDefinitions } from "@/server/engine/functions/definitions";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { emit } from "@/server/platform/outbox";
import { readiness } from "@/server/rest/readiness";
import {
  EMBEDDED,
  listBackgroundJobs,
  replayBackgroundJob,
  summariseBackgroundJobs,
  takeOver,
} from "@/server/services/background-jobs";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createCollectionPass, getCollectionPass } from "@/server/services/collection";
import { createRepricing, getRepricing } from "@/server/services/costs";
import { createDataset, deleteDataset, getImport } from "@/server/services/datasets";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, newImport } from "@/server/services/datasets/imports/testing";
import { deleteProject, deleteUserData, getDeletion } from "@/server/services/deletion";
import {
  createBackfill,
  createRuleRuns,
  executeRuleRuns,
  getBackfill,
  listFindings,
  listRuleRuns,
} from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { inngest } from "../client";
import { functions } from ".";

/** A change from the embedded engine to an Inngest server and back. The server is a fake of its documented event API. */

const SERVER = "https://inngest.example";
const definitions = readDefinitions(inngest, functions);
const ago = (ms: number) => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint - ${ms}::bigint`;

type Posted = { id: string; name: string; data: Record<string, unknown> };
let posted: Posted[];
let server: Server;
let client: Inngest;
let engine: Engine | undefined;

beforeEach(async () => {
  for (const table of [
    "job_engine",
    "job_events",
    "job_runs",
    "rule_runs",
    "deletion_receipts",
    "repricings",
    "backfills",
    "datasets",
  ]) {
    await db().execute(sql`delete from ${sql.identifier(table)}`);
  }
  posted = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const events = JSON.parse(body) as Posted[];
    const refused = events.some(({ name }) => name.toLowerCase().startsWith("inngest/"));
    if (!refused) posted.push(...events);
    const reply = refused
      ? { error: "event name is reserved for internal use", status: 400 }
      : { ids: events.map(({ id }) => id), status: 200 };
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = new Inngest({
    id: "test",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    eventKey: "key",
    isDev: true,
    aiMetadata: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
});

afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function queuedRuns(ctx: Ctx) {
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: not found"));
  return (await createRuleRuns(ctx, { conversationId: id, lastActivityAt })).runs.map((run) => run.id);
}
const statuses = async (ctx: Ctx) => [...new Set((await listRuleRuns(ctx, {})).runs.map((run) => run.status))];
/** The embedded engine takes the events, but its worker ends before it starts a run. */
const dispatched = async () => {
  while ((await dispatchEvents(db(), definitions)) > 0);
};
const forwarded = async () => {
  while ((await forwardEvents(db(), client)) > 0);
};
const waiting = async () => [
  ...(await db().execute<{ name: string; data: object }>(
    sql`select name, data from job_events where dispatched_at is null order by seq`,
  )),
];
/** Runs that were created together are queued again in any order. */
const inAnyOrder = (ids: readonly string[]) =>
  expect.toSatisfy((given: string[]) => given.toSorted().join() === ids.toSorted().join());
const jobsCheck = async () => {
  const reply = await readiness(db());
  const { checks } = (await reply.json()) as { checks: { jobs: { status: string; reason: string } } };
  return checks.jobs;
};

test("the embedded engine's unfinished runs are handed over to the server once", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  await takeOver(db(), EMBEDDED);
  const [ours, theirs] = [await queuedRuns(ctx), await queuedRuns(neighbour.ctx)];
  await dispatched();
  await db().execute(sql`update job_runs set due_at = ${ago(2_522_000)}, queue_at = ${ago(2_522_000)}`);
  expect(await jobsCheck()).toEqual({
    status: "failing",
    reason: expect.stringMatching(/^A run has been due for 252\d s/),
  });

  // Two processes start with the new setting at the same time.
  const taken = await Promise.all([takeOver(db(), SERVER), takeOver(db(), SERVER)]);
  expect(taken.map(({ runs, queued }) => [runs, queued]).sort()).toEqual([
    [0, 0],
    [2, 0],
  ]);
  expect(taken.filter(({ changed }) => changed)).toMatchObject([{ before: EMBEDDED }]);
  await forwarded();
  expect(await jobsCheck()).toEqual({ status: "ok", reason: expect.any(String) });
  const told = posted.map(({ name, data }) => ({ name, data }));
  expect(told).toHaveLength(2);
  expect(told).toEqual(
    expect.arrayContaining([
      {
        name: "diagnostics/rule-runs.queued",
        data: { projectId: ctx.projectId, origin: "on_demand", runIds: inAnyOrder(ours) },
      },
      {
        name: "diagnostics/rule-runs.queued",
        data: { projectId: neighbour.ctx.projectId, origin: "on_demand", runIds: inAnyOrder(theirs) },
      },
    ]),
  );

  // The project's page shows that the job has ended, and why, and that the engine was changed.
  expect((await listBackgroundJobs(ctx, {})).backgroundJobs).toMatchObject([
    { state: "cancelled", error: { message: expect.stringContaining("Handed over to the Inngest server") } },
  ]);
  expect((await summariseBackgroundJobs(ctx, {})).summary).toMatchObject({
    oldestDueAt: null,
    engineChange: { from: "embedded", at: expect.any(Number) },
  });
  // No cancellation event is sent, so that nothing fails the Rule Runs that the server will execute.
  expect(await statuses(ctx)).toEqual(["queued"]);
  expect(await waiting()).toEqual([]);

  // A server delivers at least once; the effect must occur only once.
  for (let time = 0; time < 2; time++) await executeRuleRuns(ctx, ours);
  expect(await statuses(ctx)).toEqual(["completed"]);
  expect((await listFindings(ctx, {})).findings.map((finding) => finding.occurrenceCount)).toEqual(
    (await listFindings(ctx, {})).findings.map(() => 1),
  );
  expect(await takeOver(db(), SERVER)).toMatchObject({ changed: false, runs: 0, ended: 0, queued: 0 });
});

test("a leased run is handed over only after its lease has ended", async () => {
  const { ctx } = await testProject();
  await queuedRuns(ctx);
  await dispatched();
  await db().execute(sql`update job_runs set state = 'running', lease_token = 't', lease_until = ${ago(-60_000)}`);
  expect(await takeOver(db(), SERVER)).toMatchObject({ runs: 0, queued: 0 });
  await db().execute(sql`update job_runs set lease_until = ${ago(1)}`);
  expect(await takeOver(db(), SERVER)).toMatchObject({ runs: 1, queued: 0 });
});

test("scheduled runs and failure handlers end, and the Rule Runs of a failed job are queued again", async () => {
  const { ctx } = await testProject();
  const runIds = await queuedRuns(ctx);
  await takeOver(db(), EMBEDDED);
  await db().execute(sql`update job_events set dispatched_at = ${ago(0)}`);
  const ofSchedule = await storedJob(ctx, { functionId: "whetstone-recount-findings" });
  const ofFailure = await storedJob(ctx, { functionId: "whetstone-run-rules-failure" });
  const internal = (name: string, data: object) => JSON.stringify({ id: newId("evt"), name, data, ts: 0 });
  const failed = { function_id: "whetstone-run-rules", event: { data: { projectId: ctx.projectId, runIds } } };
  await db().execute(
    sql`update job_runs set event = ${internal("inngest/scheduled.timer", {})}::json where id = ${ofSchedule}`,
  );
  await db().execute(
    sql`update job_runs set event = ${internal("inngest/function.failed", failed)}::json where id = ${ofFailure}`,
  );
  await emit(db(), { name: "inngest/function.cancelled", data: failed });

  expect(await takeOver(db(), SERVER)).toMatchObject({ runs: 0, ended: 3, queued: runIds.length });
  expect(await waiting()).toEqual([
    {
      name: "diagnostics/rule-runs.queued",
      data: { projectId: ctx.projectId, origin: "on_demand", runIds: inAnyOrder(runIds) },
    },
  ]);
  await forwarded();
  expect(posted).toHaveLength(1);
  const left = await db().execute(sql`select 1 from job_runs where finished_at is null`);
  expect(left).toHaveLength(0);
});

test("a job that an owner replays while a server runs the jobs is handed over too", async () => {
  const { ctx } = await testProject();
  await takeOver(db(), SERVER);
  const id = await storedJob(ctx, { state: "failed", error: { name: "Error", message: "no" } });
  const forwarder = startForwarder({
    db: db(),
    client,
    pollMs: 20,
    takeOver: () => takeOver(db(), SERVER),
    takeOverEveryMs: 20,
  });
  await replayBackgroundJob(ctx, { backgroundJobId: id });
  await until(async () => posted.length === 1);
  await forwarder.stop();
  expect(posted).toMatchObject([{ name: "test/go", data: { projectId: ctx.projectId } }]);
  expect((await jobsCheck()).status).toBe("ok");
});

test("work that our tables show a server left unfinished is done once by the embedded engine", async () => {
  const { ctx } = await testProject();
  const doomed = await testProject();
  await takeOver(db(), SERVER);
  const runIds = await queuedRuns(ctx);
  await storedConversation(ctx, [{ role: "user", text: "Hello" }], { userId: "ann" });
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  await deleteProject(doomed.ctx, { name: "Test project" });
  const { repricing } = await createRepricing(ctx, { from: 0, to: 1 });
  const { backfill } = await createBackfill(ctx, { ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 });
  const { dataset } = await createDataset(ctx, {
    name: "Answers",
    collectionObjective: "preserve_successful_behavior",
    collectionEnabled: true,
  });
  const datasetId = dataset.id;
  const importId = await newImport(ctx, datasetId, [chatLine("Where is it?")]);
  const pass = await createCollectionPass(ctx, { datasetId, startMs: 0, endMs: 1, maxConversations: 1 });
  const collectionPassId = pass.collectionPass.id;
  const deletedDataset = await storedDataset(ctx);
  await deleteDataset(ctx, { datasetId: deletedDataset });
  await forwarded();
  expect(posted).toHaveLength(8);
  expect(await waiting()).toEqual([]);
  // One Run that the server had started, and one whose event is still here.
  await db().execute(sql`update rule_runs set status = 'running' where id = ${runIds[0]}`);
  const late = await queuedRuns(ctx);

  const taken = await Promise.all([takeOver(db(), EMBEDDED), takeOver(db(), EMBEDDED)]);
  expect(taken.map(({ queued }) => queued).sort()).toEqual([0, runIds.length + 7]);
  expect((await waiting()).map(({ name }) => name).sort()).toEqual([
    "data/deletion.requested",
    "data/deletion.requested",
    "datasets/collection-pass.requested",
    "datasets/dataset.deleted",
    "datasets/import.requested",
    "diagnostics/backfill.requested",
    "diagnostics/rule-runs.queued",
    "diagnostics/rule-runs.queued",
    "pricing/repricing.requested",
  ]);
  expect((await summariseBackgroundJobs(ctx, {})).summary).toMatchObject({ engineChange: { from: "inngest" } });

  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(async () => (await statuses(ctx)).join() === "completed");
  await until(async () => (await getDeletion(ctx, { deletionId: deletion.id })).deletion.status === "completed");
  await until(async () => (await getRepricing(ctx, { repricingId: repricing.id })).repricing.state === "completed");
  await until(async () => (await getBackfill(ctx, { backfillId: backfill.id })).backfill.scanStatus === "completed");
  await until(async () => (await getImport(ctx, { datasetId, importId })).import.status === "completed");
  await until(
    async () => (await getCollectionPass(ctx, { datasetId, collectionPassId })).collectionPass.status === "completed",
  );
  for (const [table, id] of [
    ["projects", doomed.ctx.projectId],
    ["datasets", deletedDataset],
  ] as const) {
    await until(
      async () => (await db().execute(sql`select 1 from ${sql.identifier(table)} where id = ${id}`)).length === 0,
    );
  }
  const attempts = (await listRuleRuns(ctx, {})).runs.filter((run) => late.includes(run.id)).map((run) => run.attempts);
  expect(new Set(attempts)).toEqual(new Set([1]));
  expect((await jobsCheck()).status).toBe("ok");
});

test("an e-mail that a server was to send is queued again unless it was sent or its link has expired", async () => {
  await takeOver(db(), SERVER);
  const mail = (id: string, sealed: string | null, expiresInMs: number) =>
    db().execute(sql`
      insert into outgoing_mail (id, kind, sealed, expires_at) values (${id}, 'invitation', ${sealed}, ${ago(-expiresInMs)})`);
  await mail("mail_waits", "sealed", 60_000);
  await mail("mail_sent", null, 60_000);
  await mail("mail_expired", "sealed", -60_000);
  expect(await takeOver(db(), EMBEDDED)).toMatchObject({ queued: 1 });
  expect(await waiting()).toEqual([{ name: "mail/queued", data: { mailId: "mail_waits" } }]);
  await db().execute(sql`delete from outgoing_mail`);
});

test("runs are handed over even if no earlier engine is recorded", async () => {
  const { ctx } = await testProject();
  await queuedRuns(ctx);
  await dispatched();
  expect(await takeOver(db(), SERVER)).toMatchObject({ before: null, runs: 1, queued: 0 });
  expect((await summariseBackgroundJobs(ctx, {})).summary.engineChange).toBeNull();
  expect(await waiting()).toHaveLength(1);
});

test("a different Inngest server counts as another engine, and the same one does not", async () => {
  const { ctx } = await testProject();
  const runIds = await queuedRuns(ctx);
  await takeOver(db(), SERVER);
  await forwarded();
  expect(await takeOver(db(), SERVER)).toMatchObject({ changed: false, queued: 0 });
  expect(await takeOver(db(), "https://other.example")).toMatchObject({ before: SERVER, queued: runIds.length });
});
