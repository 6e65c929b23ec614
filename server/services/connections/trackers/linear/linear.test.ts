import { afterEach, expect, test } from "vitest";
import { startLinear } from "@/testbed/trackers/linear-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { testCaller } from "@/testbed/trackers/test-caller";
import type { NewTicket, TrackerOptions } from "../tracker";
import { TrackerError } from "../tracker-error";
import { linearTracker } from "./linear";

let server: SimulatedTracker;
afterEach(() => server.stop());

const TICKET: NewTicket = {
  title: "search_emails fails",
  body: "It **fails** in 12 conversations.",
  labels: [],
  issueType: null,
  marker: "finding-1",
};

async function started(settings: Parameters<typeof startLinear>[0] = {}, options: Partial<TrackerOptions> = {}) {
  server = await startLinear(settings);
  return linearTracker(testCaller("linear", server.baseUrl, server.secret), { ...NO_OPTIONS, ...options });
}

async function failureOf(call: Promise<unknown>): Promise<TrackerError> {
  const error = await call.then(
    () => expect.fail("It did not fail."),
    (failed: unknown) => failed,
  );
  if (!(error instanceof TrackerError)) throw error;
  expect(error.message).not.toContain(server.secret);
  return error;
}

const isCreation = ({ body }: { body: string }) => body.includes("mutation CreateIssue");

test("a ticket is created with its Markdown and read back", async () => {
  const tracker = await started();
  const ticket = await tracker.create("ENG", TICKET);
  expect(ticket).toMatchObject({ key: "ENG-1", state: "Backlog", isDone: false });
  expect(ticket.url).toMatch(/\/ENG-1$/);
  expect(Math.abs(ticket.updatedAt - Date.now())).toBeLessThan(60_000);
  expect(server.tickets()).toMatchObject([{ externalId: ticket.externalId, title: TICKET.title, body: TICKET.body }]);
  expect(await tracker.read("ENG", ticket.externalId)).toEqual(ticket);
});

test("a ticket whose reply was lost is found immediately, and creating it again does not duplicate it", async () => {
  const tracker = await started();
  expect(await tracker.findCreated("ENG", TICKET.marker, 0)).toBeNull();
  server.lagMs = 3_600_000;
  server.fault = (request) => (isCreation(request) ? "lose" : undefined);
  expect(await failureOf(tracker.create("ENG", TICKET))).toMatchObject({ reason: "unavailable", ambiguous: true });
  server.fault = () => undefined;
  const found = await tracker.findCreated("ENG", TICKET.marker, Date.now());
  expect(found).toMatchObject({ key: "ENG-1" });
  expect(await tracker.create("ENG", TICKET)).toEqual(found);
  expect(await tracker.findCreated("ENG", "finding-2", 0)).toBeNull();
  expect(server.tickets()).toHaveLength(1);
});

test("a comment whose reply was lost is added only once", async () => {
  const tracker = await started();
  const { externalId } = await tracker.create("ENG", TICKET);
  const comment = { body: "Seen again.", marker: "comment-1" };
  server.fault = ({ body }) => (body.includes("CreateComment") ? "lose" : undefined);
  expect(await failureOf(tracker.comment("ENG", externalId, comment))).toMatchObject({ ambiguous: true });
  server.fault = () => undefined;
  await tracker.comment("ENG", externalId, comment);
  await tracker.comment("ENG", externalId, { body: "And again.", marker: "comment-2" });
  expect(server.tickets()[0]?.comments).toEqual(["Seen again.", "And again."]);
});

test("existing labels are used, missing ones created, and label groups and refused ones left out", async () => {
  const tracker = await started();
  await tracker.create("ENG", { ...TICKET, labels: ["bug", "quality", "Area"] });
  await tracker.create("ENG", { ...TICKET, labels: ["quality"], marker: "finding-2" });
  expect(server.tickets().map(({ labels }) => labels)).toEqual([["Bug", "quality"], ["quality"]]);
  await server.stop();
  const limited = await started({ mayCreateLabels: false });
  await limited.create("ENG", { ...TICKET, labels: ["Bug", "quality"] });
  expect(server.tickets()[0]?.labels).toEqual(["Bug"]);
});

test("all changed tickets are returned from all pages, without deleted ones", async () => {
  const tracker = await started({ pageMax: 2 });
  const tickets = [];
  for (let index = 0; index < 5; index++)
    tickets.push(await tracker.create("ENG", { ...TICKET, marker: `finding-${index}` }));
  await tracker.create("OPS", { ...TICKET, marker: "elsewhere" });
  expect(await tracker.changedSince("ENG", 0)).toHaveLength(5);
  const [first, second] = tickets;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const now = Date.now();
  server.setDone(first!.externalId, true);
  server.remove(second!.externalId);
  expect(await tracker.changedSince("ENG", now)).toMatchObject([{ key: "ENG-1", isDone: true, state: "Released" }]);
});

test("a ticket is moved to the first state of its kind, and stays if it already has one", async () => {
  const tracker = await started();
  const { externalId } = await tracker.create("ENG", TICKET);
  expect(await tracker.setDone("ENG", externalId, true)).toMatchObject({ state: "Released", isDone: true });
  server.setDone(externalId, true, "Canceled");
  expect(await tracker.setDone("ENG", externalId, true)).toMatchObject({ state: "Canceled" });
  expect(await tracker.setDone("ENG", externalId, false)).toMatchObject({ state: "Todo", isDone: false });
});

test("the connection's mapping of states decides where a ticket goes", async () => {
  const tracker = await started({}, { openStates: ["in progress"], closedStates: ["Verified", "in review"] });
  const { externalId } = await tracker.create("ENG", TICKET);
  expect(await tracker.setDone("ENG", externalId, true)).toMatchObject({ state: "In Review", isDone: false });
  expect(await tracker.setDone("ENG", externalId, true)).toMatchObject({ state: "In Review" });
  expect(await tracker.setDone("ENG", externalId, false)).toMatchObject({ state: "In Progress" });
});

test("commits and pull requests attached by Linear are returned", async () => {
  const tracker = await started();
  const { externalId } = await tracker.create("ENG", TICKET);
  server.mention(externalId, { kind: "pull_request", title: "Fix the search" });
  server.mention(externalId, { kind: "commit", title: "Search again" });
  expect(await tracker.references("ENG", externalId)).toMatchObject([
    { kind: "pull_request", title: "Fix the search", state: "open", url: expect.stringContaining("/pull/1") },
    { kind: "commit", title: "Search again", state: null },
  ]);
});

test("a check lists the problems and the available alternatives", async () => {
  const tracker = await started(
    {},
    { openStates: ["Todo"], closedStates: ["Verified"], labels: ["Area", "Bug", "new"] },
  );
  expect(await tracker.check(null)).toEqual([]);
  expect(await tracker.check("GONE")).toEqual([
    "Linear has no team with the key “GONE”, or the API key cannot see it. It sees: ENG, OPS.",
  ]);
  expect(await tracker.check("eng")).toEqual([
    "The team ENG in Linear has no state “Verified”. It has: Backlog, Todo, In Progress, In Review, Released, Done, Canceled. Change the mapping of states.",
    "“Area” is a label group in Linear. Choose one of its labels.",
  ]);
  server.fault = () => 401;
  expect(await failureOf(tracker.check("ENG"))).toMatchObject({ reason: "credential" });
});

test("an exhausted rate limit has its end time", async () => {
  const tracker = await started();
  server.fault = () => "limit";
  const error = await failureOf(tracker.create("ENG", TICKET));
  expect(error).toMatchObject({ reason: "rate_limited", ambiguous: false, transient: true });
  expect(error.retryAt! - Date.now()).toBeGreaterThan(0);
  expect(error.retryAt! - Date.now()).toBeLessThanOrEqual(1000);
  expect(server.received).toHaveLength(1);
});

test.each([
  [401, "credential", /does not accept the API key\. Create a new one/],
  [403, "credential", /does not let the API key do this: “You do not have permission/],
  [400, "destination", /rejected the request: “title must be shorter/],
  [500, "unavailable", /500/],
  [503, "unavailable", /503/],
] as const)("a reply of %i is reported as %s with an explanation", async (status, reason, words) => {
  const tracker = await started();
  server.fault = (request) => (isCreation(request) ? status : undefined);
  const error = await failureOf(tracker.create("ENG", TICKET));
  expect(error.reason).toBe(reason);
  expect(error.message).toMatch(words);
  expect(error.ambiguous).toBe(reason === "unavailable");
});

test("every call about a deleted ticket reports it as gone, and a missing team is a wrong destination", async () => {
  const tracker = await started();
  const { externalId } = await tracker.create("ENG", TICKET);
  server.remove(externalId);
  const unknown = "5ad1c2f4-6a3b-4d0f-9d57-2f8a3c1b7e11";
  for (const id of [externalId, unknown]) {
    for (const call of [
      () => tracker.read("ENG", id),
      () => tracker.setDone("ENG", id, true),
      () => tracker.references("ENG", id),
    ])
      expect(await failureOf(call())).toMatchObject({
        reason: "gone",
        message: expect.stringContaining("no longer exists in Linear"),
      });
  }
  expect(await failureOf(tracker.comment("ENG", unknown, { body: "x", marker: "y" }))).toMatchObject({
    reason: "gone",
  });
  // Its id is taken, so it cannot be created again under the same marker.
  expect(await tracker.findCreated("ENG", TICKET.marker, 0)).toBeNull();
  expect(await failureOf(tracker.create("ENG", TICKET))).toMatchObject({ reason: "gone" });
  for (const call of [() => tracker.create("GONE", TICKET), () => tracker.changedSince("GONE", 0)])
    expect(await failureOf(call())).toMatchObject({
      reason: "destination",
      message: expect.stringMatching(/It sees: ENG, OPS/),
    });
});

test("a wrong key, a broken connection and an unexpected reply are distinguished", async () => {
  const tracker = await started();
  const stranger = linearTracker(testCaller("linear", server.baseUrl, "lin_api_wrong"), NO_OPTIONS);
  expect(await failureOf(stranger.check(null))).toMatchObject({ reason: "credential" });
  server.fault = () => "drop";
  expect(await failureOf(tracker.read("ENG", "x"))).toMatchObject({ reason: "unavailable", transient: true });
  server.fault = () => undefined;
  const page = linearTracker(testCaller("linear", `${server.baseUrl}/elsewhere`, server.secret), NO_OPTIONS);
  expect(await failureOf(page.check(null))).toMatchObject({
    reason: "destination",
    message: expect.stringMatching(/api\.linear\.app/),
  });
});
