import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createTrackerWebhook } from "@/server/services/connections";
import { startGithub } from "@/testbed/trackers/github-server";
import { getFinding, getWorkItem, handOff, listTrackerDeliveries, pollTrackers, receiveTrackerDelivery } from "../..";
import { connectTracker, failedTool, runTurns } from "../testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let github: Awaited<ReturnType<typeof startGithub>>;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(() => github.stop());

/** A Finding with a ticket. */
async function linked() {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const { id: workItemId, externalId } = (await handOff(ctx, { findingId, provider: "github" })).workItem;
  return {
    ctx,
    connectionId,
    workItemId,
    externalId: externalId!,
    resolution: async () => (await getFinding(ctx, { findingId })).finding.resolutionStatus,
    item: async () => (await getWorkItem(ctx, { workItemId })).workItem,
  };
}

test("a transferred ticket is kept under its new address, where deliveries and polls find it", async () => {
  const { ctx, connectionId, workItemId, externalId, resolution, item } = await linked();
  github.webhookSecret = (await createTrackerWebhook(ctx, { connectionId })).webhook.secret;
  const deliver = async ({ headers, body }: ReturnType<typeof github.delivery>) => {
    const delivery = { projectId: ctx.projectId, connectionId, headers, body: async () => Buffer.from(body) };
    await receiveTrackerDelivery(db(), delivery);
    await runTurns(ctx, workItemId);
  };
  const moved = github.transfer(externalId);
  await deliver(github.delivery(externalId));
  expect(await item()).toMatchObject({
    destination: "acme/support",
    externalId: moved.externalId,
    externalKey: `acme/support#${moved.externalId}`,
    url: expect.stringContaining("/acme/support/"),
  });
  moved.setDone(true);
  await deliver(moved.delivery());
  expect(await resolution()).toBe("resolved");
  expect((await listTrackerDeliveries(ctx, { state: "ignored" })).trackerDeliveries).toEqual([]);
  moved.setDone(false);
  expect(await pollTrackers(ctx)).toEqual({ changed: 1 });
  await runTurns(ctx, workItemId);
  expect(await resolution()).toBe("unresolved");
});

test("without a webhook, a transfer is found by the hourly reread, and changes after it by polls", async () => {
  const { ctx, workItemId, externalId, resolution, item } = await linked();
  const moved = github.transfer(externalId);
  await db().update(workItems).set({ lastSyncedAt: 0 }).where(eq(workItems.id, workItemId));
  await pollTrackers(ctx);
  await runTurns(ctx, workItemId);
  expect(await item()).toMatchObject({ destination: moved.destination, externalId: moved.externalId });
  moved.setDone(true);
  expect(await pollTrackers(ctx)).toEqual({ changed: 1 });
  await runTurns(ctx, workItemId);
  expect(await resolution()).toBe("resolved");
});
