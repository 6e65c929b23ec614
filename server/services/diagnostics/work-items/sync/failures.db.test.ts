import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { jobEvents, workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { respondWith, startService } from "@/server/platform/outbound/testing/service";
import { createTrackerWebhook } from "@/server/services/connections";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { startLinear } from "@/testbed/trackers/linear-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { getWorkItem, handOff, listTrackerDeliveries, listWorkItems, receiveTrackerDelivery } from "../..";
import { connectTracker, failedTool, runTurns } from "../testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let linear: SimulatedTracker;
beforeEach(async () => {
  linear = await startLinear();
});
afterEach(() => linear.stop());

const isCreation = ({ body }: { body: string }) => body.includes("mutation CreateIssue");

async function connected() {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "linear", linear);
  const { findingId } = await failedTool(ctx);
  return { ctx, connectionId, findingId };
}

/** Returns the times at which events wake the work item. */
const wakesOf = async (workItemId: string) => {
  const rows = await db()
    .select({ at: jobEvents.occurredAt })
    .from(jobEvents)
    .where(sql`${jobEvents.name} = 'repair/work-item.due' and ${jobEvents.data} ->> 'workItemId' = ${workItemId}`);
  return rows.map(({ at }) => at);
};

/** Runs an attempt and returns its result with the bounds of a time `delayMs` after its failure. */
async function bounded<T>(delayMs: number, attempt: () => Promise<T>) {
  const from = Date.now() + delayMs;
  const result = await attempt();
  return { result, from, to: Date.now() + delayMs + 1 };
}

const makeDue = (workItemId: string) => db().update(workItems).set({ dueAt: 0 }).where(eq(workItems.id, workItemId));

test.each([
  [400, "unprocessable", "title must be shorter than or equal to 512 characters"],
  [403, "not_implemented", "You do not have permission to create issues in this team"],
])("what Linear refuses (%i) is reported as %s in its words and not tried again", async (fault, code, words) => {
  const { ctx, findingId } = await connected();
  linear.fault = (request) => (isCreation(request) ? fault : undefined);
  const message = expect.stringContaining(words);
  const refused = handOff(ctx, { findingId, provider: "linear" });
  await expect(refused).rejects.toMatchObject(
    code === "unprocessable" ? { code, errors: [{ path: "/destination", message }] } : { code, message },
  );
  expect((await listWorkItems(ctx, {})).workItems).toEqual([]);
  expect(linear.received.filter(isCreation)).toHaveLength(1);
});

test("an archived GitLab project is refused as a destination, not as a connection", async () => {
  const gitlab = await startGitlab();
  const { ctx, findingId } = await connected();
  await connectTracker(ctx, "gitlab", gitlab);
  const refused = handOff(ctx, { findingId, provider: "gitlab", destination: "acme/archived" });
  const message = expect.stringContaining("acme/archived is archived");
  await expect(refused).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/destination", message }] });
  await gitlab.stop();
});

test("a creation that hits a rate limit is due, with an event, when the limit ends", async () => {
  const { ctx, findingId } = await connected();
  linear.fault = (request) => (isCreation(request) ? "limit" : undefined);
  const { result, from, to } = await bounded(1000, () => handOff(ctx, { findingId, provider: "linear" }));
  const { id, state, error, nextAttemptAt } = result.workItem;
  expect({ state, error }).toEqual({ state: "pending", error: expect.stringContaining("rate limit of Linear") });
  expect(nextAttemptAt).toBeGreaterThanOrEqual(from);
  expect(nextAttemptAt).toBeLessThanOrEqual(to);
  expect(await wakesOf(id)).toContain(nextAttemptAt);
});

test("a creation that fails is due after 2, 8 and 30 seconds, each time with an event", async () => {
  const { ctx, findingId } = await connected();
  linear.fault = (request) => (isCreation(request) ? 503 : undefined);
  const { result, ...first } = await bounded(2_000, () => handOff(ctx, { findingId, provider: "linear" }));
  const { id, nextAttemptAt } = result.workItem;
  const attempts = [{ at: nextAttemptAt, ...first }];
  for (const delayMs of [8_000, 30_000]) {
    await makeDue(id);
    const { result: at, ...bounds } = await bounded(delayMs, () => runTurns(ctx, id));
    attempts.push({ at: at ?? null, ...bounds });
  }
  for (const { at, from, to } of attempts) {
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(to);
  }
  expect(await wakesOf(id)).toEqual(expect.arrayContaining(attempts.map(({ at }) => at)));
  linear.fault = () => undefined;
  await makeDue(id);
  await runTurns(ctx, id);
  expect((await getWorkItem(ctx, { workItemId: id })).workItem).toMatchObject({ state: "open", nextAttemptAt: null });
});

test("a tracker's Retry-After decides when the next attempt is", async () => {
  const busy = await startService(respondWith("", 503, { "retry-after": "45" }));
  const { ctx, findingId } = await connected();
  await connectTracker(ctx, "github", { baseUrl: busy.url, secret: "a token", destination: "acme/shop" });
  const { result, from, to } = await bounded(45_000, () => handOff(ctx, { findingId, provider: "github" }));
  expect(result.workItem.nextAttemptAt).toBeGreaterThanOrEqual(from);
  expect(result.workItem.nextAttemptAt).toBeLessThanOrEqual(to);
});

test("a delivery whose ticket could not be read shows when that is tried again", async () => {
  const { ctx, connectionId, findingId } = await connected();
  const { id: workItemId, externalId } = (await handOff(ctx, { findingId, provider: "linear" })).workItem;
  linear.webhookSecret = (await createTrackerWebhook(ctx, { connectionId })).webhook.secret;
  const { headers, body } = linear.delivery(externalId!);
  const delivery = { projectId: ctx.projectId, connectionId, headers, body: async () => Buffer.from(body) };
  await receiveTrackerDelivery(db(), delivery);
  linear.fault = () => 503;
  const nextAttemptAt = await runTurns(ctx, workItemId);
  expect((await listTrackerDeliveries(ctx, {})).trackerDeliveries).toMatchObject([
    { state: "processed", nextAttemptAt },
  ]);
  linear.fault = () => undefined;
  await makeDue(workItemId);
  await runTurns(ctx, workItemId);
  expect((await listTrackerDeliveries(ctx, {})).trackerDeliveries).toMatchObject([{ nextAttemptAt: null }]);
});
