import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { gitlabTracker } from "./gitlab";
import { readGitlabWebhook } from "./gitlab-webhook";

let gitlab: Awaited<ReturnType<typeof startGitlab>>;
const tracker = () => gitlabTracker(testCaller("gitlab", gitlab.baseUrl, gitlab.secret), NO_OPTIONS);
beforeEach(async () => {
  gitlab = await startGitlab();
  await tracker().create("acme/shop", { title: "Fails", body: "", labels: [], issueType: null, marker: "m-1" });
});
afterEach(() => gitlab.stop());

const read = ({ headers, body }: { headers: Record<string, string>; body: string }, secret = gitlab.webhookSecret) =>
  readGitlabWebhook(secret, { headers, body: Buffer.from(body) });

/** Returns a delivery of a webhook with a signing token. */
function signed(body: string, { token = TOKEN, at = new Date() } = {}) {
  const signature = new Webhook(token).sign("m-1", at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { headers: { "webhook-id": "m-1", "webhook-timestamp": timestamp, "webhook-signature": signature }, body };
}
const TOKEN = `whsec_${Buffer.from("a signing token of 32 characters").toString("base64")}`;
const CLOSED = JSON.stringify({
  object_kind: "work_item",
  object_attributes: { iid: 23, action: "close" },
  project: { path_with_namespace: "acme/tools/shop" },
});

test("a delivery names the changed ticket, its project and the event", () => {
  gitlab.setDone("1", true);
  expect(read(gitlab.delivery("1"))).toEqual({
    deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "issue.close",
    externalId: "1",
    destination: "acme/shop",
    sentAt: null,
  });
});

test("a repeated delivery keeps its id, and another change has a different one", () => {
  const first = read(gitlab.delivery("1"))?.deliveryId;
  expect(read(gitlab.delivery("1"))?.deliveryId).toBe(first);
  gitlab.setDone("1", true);
  expect(read(gitlab.delivery("1"))?.deliveryId).not.toBe(first);
});

test("a delivery without an idempotency key is identified by its event id", () => {
  const { headers, body } = gitlab.delivery("1");
  const { "idempotency-key": _, ...older } = headers;
  expect(read({ headers: older, body })?.deliveryId).toBe(headers["x-gitlab-event-uuid"]);
});

test("a comment's delivery names its ticket", async () => {
  await tracker().comment("acme/shop", "1", { body: "Fixed.", marker: "c-1" });
  expect(read(gitlab.delivery("1"))).toMatchObject({ name: "note.create", externalId: "1" });
});

test("a delivery with another secret or none is refused", () => {
  const { headers, body } = gitlab.delivery("1");
  const { "x-gitlab-token": token = "", ...without } = headers;
  expect(read({ headers, body }, "another secret")).toBeNull();
  expect(read({ headers, body }, "")).toBeNull();
  expect(read({ headers: without, body })).toBeNull();
  expect(read({ headers: { ...headers, "x-gitlab-token": token.slice(0, -1) }, body })).toBeNull();
});

test("a signed delivery has the time when it was sent", () => {
  const at = new Date(Math.floor(Date.now() / 1000) * 1000);
  expect(read(signed(CLOSED, { at }), TOKEN)).toEqual({
    deliveryId: "m-1",
    name: "work_item.close",
    externalId: "23",
    destination: "acme/tools/shop",
    sentAt: at.getTime(),
  });
});

test("a signed delivery that was changed, wrongly signed or old is refused, even with a valid token", () => {
  const { headers, body } = signed(CLOSED);
  expect(read({ headers, body: body.replace("23", "24") }, TOKEN)).toBeNull();
  expect(read({ headers: { ...headers, "webhook-id": "m-2" }, body }, TOKEN)).toBeNull();
  expect(read(signed(CLOSED, { token: `whsec_${Buffer.from("other").toString("base64")}` }), TOKEN)).toBeNull();
  expect(read(signed(CLOSED, { at: new Date(Date.now() - 3_600_000) }), TOKEN)).toBeNull();
  const wrong = { ...headers, "webhook-signature": "v1,AAAA", "x-gitlab-token": TOKEN };
  expect(read({ headers: wrong, body }, TOKEN)).toBeNull();
});

test.each([
  "",
  "{",
  "null",
  '{"object_kind":"push","project":null}',
  '{"object_kind":"merge_request","object_attributes":{"iid":3}}',
])("the delivery %j names no ticket", (body) => {
  expect(read(signed(body), TOKEN)).toMatchObject({ externalId: null, destination: null });
});
