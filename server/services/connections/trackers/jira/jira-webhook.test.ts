import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { startJira } from "@/testbed/trackers/jira-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { jiraTracker } from "./jira";
import { readJiraWebhook } from "./jira-webhook";

const SECRET = "jira-wh-test";
const signed = (content: unknown) => {
  const body = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return { headers: { "x-hub-signature": `sha256=${signature}` }, body };
};

test("a delivery names the changed ticket, its project and the time it was sent", async () => {
  const server = await startJira({ deployment: "Cloud" });
  const tracker = jiraTracker(testCaller("jira", server.baseUrl, server.secret), NO_OPTIONS);
  const ticket = { title: "t", body: "b", labels: [], issueType: null, marker: "m" };
  const { externalId } = await tracker.create("PROJ", ticket);
  const { headers, body } = server.delivery(externalId);
  const event = readJiraWebhook(server.webhookSecret, { headers, body: Buffer.from(body) });
  expect(event).toMatchObject({ name: "jira:issue_updated", externalId, destination: "PROJ" });
  expect(event?.deliveryId).toBe(headers["x-atlassian-webhook-identifier"]);
  expect(Math.abs(event!.sentAt! - Date.now())).toBeLessThan(60_000);
  await server.stop();
});

test("a delivery without an id gets the same id when it is repeated", () => {
  const read = (content: unknown) => readJiraWebhook(SECRET, signed(content));
  const deleted = { webhookEvent: "jira:issue_deleted", timestamp: 5, issue: { id: 10001 } };
  expect(read(deleted)).toMatchObject({ externalId: "10001", destination: null, sentAt: 5 });
  expect(read(deleted)?.deliveryId).toBe(read(deleted)?.deliveryId);
  expect(read(deleted)?.deliveryId).not.toBe(read({ ...deleted, timestamp: 6 })?.deliveryId);
  expect(read({ webhookEvent: "jira:version_released" })).toMatchObject({ externalId: null, sentAt: null });
  expect(read("no json")).toMatchObject({ name: "unknown", externalId: null });
});

test("a changed, unsigned or wrongly signed delivery is refused", () => {
  const { headers, body } = signed({ webhookEvent: "jira:issue_updated" });
  expect(readJiraWebhook(SECRET, { headers, body })).not.toBeNull();
  expect(readJiraWebhook("other", { headers, body })).toBeNull();
  expect(readJiraWebhook("", { headers, body })).toBeNull();
  expect(readJiraWebhook(SECRET, { headers, body: Buffer.concat([body, Buffer.from(" ")]) })).toBeNull();
  const hex = headers["x-hub-signature"].split("=")[1] as string;
  for (const signature of [hex, `sha1=${hex}`, "sha256=", "sha256=00", `=${hex}`])
    expect(readJiraWebhook(SECRET, { headers: { "x-hub-signature": signature }, body })).toBeNull();
  expect(readJiraWebhook(SECRET, { headers: {}, body })).toBeNull();
});
