import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGithub } from "@/testbed/trackers/github-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { githubTracker } from "./github";
import { readGithubWebhook } from "./github-webhook";

let github: Awaited<ReturnType<typeof startGithub>>;
beforeEach(async () => {
  github = await startGithub();
  const tracker = githubTracker(testCaller("github", github.baseUrl, github.secret), NO_OPTIONS);
  const ticket = { title: "search fails", body: "", labels: [], issueType: null, marker: "m-1" };
  await tracker.create("acme/shop", ticket);
});
afterEach(() => github.stop());

const read = ({ headers, body }: { headers: Record<string, string>; body: string }, secret = github.webhookSecret) =>
  readGithubWebhook(secret, { headers, body: Buffer.from(body) });

/** Returns a delivery signed like GitHub's. */
function signed(event: string, payload: string, secret = "s3cret") {
  const signature = createHmac("sha256", secret).update(payload).digest("hex");
  const headers = { "x-github-event": event, "x-github-delivery": "d-1", "x-hub-signature-256": `sha256=${signature}` };
  return { headers, body: payload };
}

test("a delivery names the changed ticket, its repository and the event", () => {
  github.setDone("1", true);
  expect(read(github.delivery("1"))).toEqual({
    deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "issues.closed",
    externalId: "1",
    destination: "acme/shop",
    sentAt: null,
  });
});

test("a repeated delivery keeps its id, and another change has a different one", () => {
  const first = read(github.delivery("1"))?.deliveryId;
  expect(read(github.delivery("1"))?.deliveryId).toBe(first);
  github.remove("1");
  expect(read(github.delivery("1"))).toMatchObject({ name: "issues.deleted", externalId: "1" });
  expect(read(github.delivery("1"))?.deliveryId).not.toBe(first);
});

test("a comment's delivery names its ticket", async () => {
  const tracker = githubTracker(testCaller("github", github.baseUrl, github.secret), NO_OPTIONS);
  await tracker.comment("acme/shop", "1", { body: "Fixed.", marker: "c-1" });
  expect(read(github.delivery("1"))).toMatchObject({ name: "issue_comment.created", externalId: "1" });
});

test("a transfer's deliveries, from the former repository and from the new one, name the ticket as it was", () => {
  const moved = github.transfer("1");
  const former = { externalId: "1", destination: "acme/shop" };
  expect(read(github.delivery("1"))).toMatchObject({ name: "issues.transferred", ...former });
  expect(read(moved.delivery())).toMatchObject({ name: "issues.opened", ...former });
  moved.setDone(true);
  expect(read(moved.delivery())).toMatchObject({ name: "issues.closed", externalId: "1", destination: "acme/support" });
});

test("a changed, unsigned or wrongly signed delivery is refused", () => {
  const { headers, body } = github.delivery("1");
  const { "x-hub-signature-256": signature = "", ...unsigned } = headers;
  expect(read({ headers, body: body.replace("opened", "closed") })).toBeNull();
  expect(read({ headers, body }, "another secret")).toBeNull();
  expect(read({ headers, body }, "")).toBeNull();
  expect(read({ headers: unsigned, body })).toBeNull();
  expect(read({ headers: { ...headers, "x-hub-signature-256": signature.slice(0, -1) }, body })).toBeNull();
});

test("the signature matches the example in GitHub's documentation", () => {
  const headers = {
    "x-github-event": "ping",
    "x-github-delivery": "d-1",
    "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  };
  expect(read({ headers, body: "Hello, World!" }, "It's a Secret to Everybody")).toMatchObject({ name: "ping" });
});

test("a comment on a pull request names no ticket", () => {
  const payload = { action: "created", issue: { number: 7, pull_request: {} }, repository: { full_name: "acme/shop" } };
  expect(read(signed("issue_comment", JSON.stringify(payload)), "s3cret")).toMatchObject({
    externalId: null,
    destination: "acme/shop",
  });
});

test("a delivery sent as a form is read", () => {
  const payload = { action: "closed", issue: { number: 7 }, repository: { full_name: "acme/shop" } };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  expect(read(signed("issues", body), "s3cret")).toMatchObject({ name: "issues.closed", externalId: "7" });
});

test.each(["", "{", "[]", "null", '{"issue":7}'])("the delivery %j names no ticket", (body) => {
  expect(read(signed("issues", body), "s3cret")).toMatchObject({ name: "issues", externalId: null, destination: null });
});
