import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createCollectionPass } from "@/server/services/collection";
import { createRepricing } from "@/server/services/costs";
import { createDataset, deleteDataset } from "@/server/services/datasets";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, newImport } from "@/server/services/datasets/imports/testing";
import { deleteProject, deleteUserData } from "@/server/services/deletion";
import { createBackfill, createRuleRuns } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { replayDelivery } from "@/server/services/notifications";
import { failedDelivery } from "@/server/services/notifications/testing";
import { rotateSecrets } from "@/server/services/secrets";
import { EMBEDDED, recordEngine, summariseBackgroundJobs } from ".";

const SERVER = "https://inngest.example";
const ago = (ms: number) => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint - ${ms}::bigint`;

beforeEach(async () => {
  for (const table of ["job_engine", "job_events", "rule_runs"]) {
    await db().execute(sql`delete from ${sql.identifier(table)}`);
  }
});

async function queuedRuns(ctx: Ctx) {
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: not found"));
  return (await createRuleRuns(ctx, { conversationId: id, lastActivityAt })).runs.map((run) => run.id);
}
/** The former server accepts all events of the outbox, and is never heard of again. */
const accepted = () => db().execute(sql`update job_events set dispatched_at = ${ago(0)}`);

type Event = { name: string; data: { runIds?: string[]; ringKey?: string } };
/** Returns the pending events in a form that can be compared: which ring key an event names does not matter. */
async function pending() {
  const events = await db().execute<Event>(sql`select name, data from job_events where dispatched_at is null`);
  return [...events]
    .map(({ name, data: { runIds, ringKey: _, ...data } }) => ({ name, ...data, runIds: runIds?.toSorted() }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

test("what our tables show as unfinished after a server ran the jobs is requeued once", async () => {
  const { ctx } = await testProject();
  const doomed = await testProject();
  await recordEngine(db(), SERVER);
  const late = await queuedRuns(ctx);
  const lateEvents = await pending();
  await accepted();
  const [started] = await queuedRuns(ctx);
  await storedConversation(ctx, [{ role: "user", text: "Hello" }], { userId: "ann" });
  await deleteUserData(ctx, { userId: "ann" });
  await deleteProject(doomed.ctx, { name: "Test project" });
  await createRepricing(ctx, { from: 0, to: 1 });
  await createBackfill(ctx, { ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 });
  const { dataset } = await createDataset(ctx, {
    name: "Answers",
    collectionObjective: "preserve_successful_behavior",
    collectionEnabled: true,
  });
  await newImport(ctx, dataset.id, [chatLine("Where is it?")]);
  await createCollectionPass(ctx, { datasetId: dataset.id, startMs: 0, endMs: 1, maxConversations: 1 });
  await deleteDataset(ctx, { datasetId: await storedDataset(ctx) });
  await replayDelivery(ctx, { deliveryId: await failedDelivery(ctx) });
  await rotateSecrets(db());
  const requested = await pending();
  expect(requested).toHaveLength(10);
  await accepted();
  await db().execute(sql`update rule_runs set status = 'running' where id = ${started}`);
  // These are requested by an event that the server has not accepted.
  await db().execute(sql`update job_events set dispatched_at = null where data::text like ${`%${late[0]}%`}`);
  expect(await pending()).toEqual(lateEvents);

  // Two processes start at the same time.
  await Promise.all([recordEngine(db(), EMBEDDED), recordEngine(db(), EMBEDDED)]);
  await db().execute(sql`delete from job_events where data::text like ${`%${late[0]}%`}`);
  expect(await pending()).toEqual(requested);
  expect((await summariseBackgroundJobs(ctx, {})).summary).toMatchObject({ engineChange: { from: "inngest" } });
});

test("an e-mail that a server was to send is queued again unless it was sent or its link has expired", async () => {
  await recordEngine(db(), SERVER);
  const mail = (id: string, sealed: string | null, expiresInMs: number) =>
    db().execute(sql`
      insert into outgoing_mail (id, kind, sealed, expires_at) values (${id}, 'invitation', ${sealed}, ${ago(-expiresInMs)})`);
  await mail("mail_waits", "sealed", 60_000);
  await mail("mail_sent", null, 60_000);
  await mail("mail_expired", "sealed", -60_000);
  await recordEngine(db(), EMBEDDED);
  expect(await pending()).toContainEqual({ name: "mail/queued", mailId: "mail_waits" });
  expect((await pending()).filter(({ name }) => name === "mail/queued")).toHaveLength(1);
});

test("a different Inngest server counts as another engine, and the same one does not", async () => {
  const { ctx } = await testProject();
  await recordEngine(db(), SERVER);
  const runIds = await queuedRuns(ctx);
  await accepted();
  await recordEngine(db(), SERVER);
  expect(await pending()).toEqual([]);
  await recordEngine(db(), "https://other.example");
  expect(await pending()).toContainEqual(expect.objectContaining({ runIds: runIds.toSorted() }));
});

test("a change from the drained embedded engine to a server requeues nothing", async () => {
  const { ctx } = await testProject();
  await recordEngine(db(), EMBEDDED);
  await queuedRuns(ctx);
  await accepted();
  await recordEngine(db(), SERVER);
  expect(await pending()).toEqual([]);
  expect((await summariseBackgroundJobs(ctx, {})).summary).toMatchObject({ engineChange: { from: "embedded" } });
});
