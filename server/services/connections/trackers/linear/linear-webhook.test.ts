import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { startLinear } from "@/testbed/trackers/linear-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { linearTracker } from "./linear";
import { readLinearWebhook } from "./linear-webhook";

const SECRET = "lin_wh_test";
const signed = (content: unknown, headers: Record<string, string> = {}) => {
  const body = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return { headers: { "linear-signature": signature, "linear-delivery": "d1", ...headers }, body };
};

test("a delivery names the changed ticket, its team and the time it was sent", async () => {
  const server = await startLinear();
  const tracker = linearTracker(testCaller("linear", server.baseUrl, server.secret), NO_OPTIONS);
  const ticket = { title: "t", body: "b", labels: [], issueType: null, marker: "m" };
  const { externalId } = await tracker.create("ENG", ticket);
  const { headers, body } = server.delivery(externalId);
  const event = readLinearWebhook(server.webhookSecret, { headers, body: Buffer.from(body) });
  expect(event).toMatchObject({ name: "Issue.update", externalId, destination: "ENG" });
  expect(event?.deliveryId).toBe(headers["linear-delivery"]);
  expect(Math.abs(event!.sentAt! - Date.now())).toBeLessThan(60_000);
  await server.stop();
});

test("comments and attachments name their ticket, and other events name none", () => {
  const read = (content: unknown) => readLinearWebhook(SECRET, signed(content));
  const comment = { type: "Comment", action: "create", data: { id: "c", issue: { id: "i", team: { key: "ENG" } } } };
  expect(read(comment)).toMatchObject({ name: "Comment.create", externalId: "i", destination: "ENG", sentAt: null });
  expect(read({ type: "Attachment", action: "create", data: { id: "a", issueId: "i" } })).toMatchObject({
    externalId: "i",
    destination: null,
  });
  expect(read({ type: "Project", action: "update", data: { id: "p" } })).toMatchObject({ externalId: null });
  expect(read("no json")).toMatchObject({ name: "unknown.unknown", externalId: null });
});

test("a changed, unsigned or wrongly signed delivery is refused", () => {
  const { headers, body } = signed({ type: "Issue", action: "update", data: { id: "i" } });
  expect(readLinearWebhook(SECRET, { headers, body })).not.toBeNull();
  expect(readLinearWebhook("other", { headers, body })).toBeNull();
  expect(readLinearWebhook("", { headers, body })).toBeNull();
  expect(readLinearWebhook(SECRET, { headers, body: Buffer.concat([body, Buffer.from(" ")]) })).toBeNull();
  for (const signature of ["", "00", "z".repeat(64), `${headers["linear-signature"]}00`])
    expect(readLinearWebhook(SECRET, { headers: { ...headers, "linear-signature": signature }, body })).toBeNull();
  expect(readLinearWebhook(SECRET, { headers: {}, body })).toBeNull();
});
