import { createHmac, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { MINUTE_MS } from "@/server/platform/durations";
import { createTrackerWebhook } from "@/server/services/connections";
import { listTrackerDeliveries, receiveTrackerDelivery } from "../..";
import { connectTracker } from "../testing";

/** Never called. */
const NOWHERE = { baseUrl: "https://api.linear.example", secret: "a key", destination: "ENG" };

async function withWebhook() {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "linear", NOWHERE);
  const { secret } = (await createTrackerWebhook(ctx, { connectionId })).webhook;
  const deliver = (sentAt: number, signedWith = secret) => {
    const body = JSON.stringify({ type: "Issue", action: "update", data: { id: "i-1" }, webhookTimestamp: sentAt });
    const signature = createHmac("sha256", signedWith).update(body).digest("hex");
    return receiveTrackerDelivery(db(), {
      projectId: ctx.projectId,
      connectionId,
      headers: { "linear-delivery": randomUUID(), "linear-signature": signature },
      body: async () => Buffer.from(body),
    });
  };
  return { ctx, deliver };
}

test("a signed delivery with a time too old or too far ahead is rejected and not stored", async () => {
  const { ctx, deliver } = await withWebhook();
  for (const sentAt of [Date.now() - 11 * MINUTE_MS, Date.now() + 6 * MINUTE_MS])
    await expect(deliver(sentAt)).rejects.toMatchObject({ code: "invalid" });
  expect((await listTrackerDeliveries(ctx, {})).trackerDeliveries).toEqual([]);
  expect(await deliver(Date.now() - 9 * MINUTE_MS)).toEqual({ repeated: false });
});

test("more than 600 signed deliveries a minute are rejected, but not another connection's", async () => {
  const [{ deliver }, other] = [await withWebhook(), await withWebhook()];
  const outcomes: string[] = [];
  // The limit refills while deliveries are sent.
  while (!outcomes.includes("rate_limited") && outcomes.length < 2000) {
    const sent = Array.from({ length: 40 }, () => deliver(Date.now()));
    for (const one of await Promise.allSettled(sent))
      outcomes.push(one.status === "rejected" ? one.reason.code : "received");
  }
  expect(outcomes.indexOf("rate_limited")).toBeGreaterThanOrEqual(600);
  expect(await other.deliver(Date.now())).toEqual({ repeated: false });
});

test("forged deliveries use up nothing of what the tracker may send", async () => {
  const { deliver } = await withWebhook();
  for (let sent = 0; sent < 700; sent += 50) {
    const forged = Array.from({ length: 50 }, () => deliver(Date.now(), "forged").catch(({ code }) => code));
    expect(new Set(await Promise.all(forged))).toEqual(new Set(["unauthenticated"]));
  }
  expect(await deliver(Date.now())).toEqual({ repeated: false });
});
