import { afterEach, beforeEach, expect, test } from "vitest";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { TrackerError } from "../tracker-error";
import { gitlabTracker } from "./gitlab";

const SHOP = "acme/shop";
const TICKET = { title: "search fails", body: "It **fails**.", labels: ["agent"], issueType: null, marker: "m-1" };

let gitlab: Awaited<ReturnType<typeof startGitlab>>;
beforeEach(async () => {
  gitlab = await startGitlab();
});
afterEach(() => gitlab.stop());

const trackerWith = (secret = gitlab.secret) => gitlabTracker(testCaller("gitlab", gitlab.baseUrl, secret), NO_OPTIONS);
const create = (count = 1) =>
  Promise.all(Array.from({ length: count }, (_, n) => trackerWith().create(SHOP, { ...TICKET, marker: `m-${n + 1}` })));
const asked = (method: string) => gitlab.received.filter((request) => request.method === method).length;

async function failure(call: Promise<unknown>): Promise<TrackerError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TrackerError)) throw error ?? new Error("It did not fail.");
  expect(error.message).not.toContain(gitlab.secret);
  return error;
}

/** Faults the next request with the method. */
function faultOnce(method: string, fault: ReturnType<typeof gitlab.fault>) {
  let left = 1;
  gitlab.fault = (request) => (request.method === method && left-- > 0 ? fault : undefined);
}

test("a ticket has its title, description and labels, and an invisible marker", async () => {
  const ticket = await trackerWith().create(SHOP, { ...TICKET, labels: ["agent", "high priority"] });
  expect(ticket).toMatchObject({
    externalId: "1",
    key: "acme/shop#1",
    url: "https://gitlab.com/acme/shop/-/issues/1",
    state: "opened",
    isDone: false,
  });
  expect(Math.abs(Date.now() - ticket.updatedAt)).toBeLessThan(5000);
  expect(gitlab.tickets()).toMatchObject([
    { title: TICKET.title, labels: ["agent", "high priority"], body: "It **fails**.\n\n<!-- whetstone:m-1 -->" },
  ]);
});

test("text in a ticket or a comment cannot run GitLab commands", async () => {
  const body = "The user wrote:\n/close\n  /assign @ann\nsee /usr/bin\n/usr/bin/env";
  const inert = "The user wrote:\n\\/close\n  \\/assign @ann\nsee /usr/bin\n/usr/bin/env";
  await trackerWith().create(SHOP, { ...TICKET, body, title: "t".repeat(300) });
  await trackerWith().comment(SHOP, "1", { body, marker: "c-1" });
  const [ticket] = gitlab.tickets();
  expect(ticket?.body).toBe(`${inert}\n\n<!-- whetstone:m-1 -->`);
  expect(ticket?.comments).toEqual([`${inert}\n\n<!-- whetstone:c-1 -->`]);
  expect(ticket?.title).toHaveLength(255);
});

test("a project is also found by its number", async () => {
  expect(await trackerWith().create("1", TICKET)).toMatchObject({ key: "acme/shop#1" });
});

test("a ticket whose reply was lost is found by its marker and not created twice", async () => {
  const since = Date.now();
  faultOnce("POST", "lose");
  const error = await failure(trackerWith().create(SHOP, TICKET));
  expect(error).toMatchObject({ reason: "unavailable", ambiguous: true });
  expect(await trackerWith().findCreated(SHOP, "m-1", since)).toMatchObject({ externalId: "1", key: "acme/shop#1" });
  expect(gitlab.tickets()).toHaveLength(1);
});

test("a ticket whose request broke off is not found", async () => {
  faultOnce("POST", "drop");
  await failure(trackerWith().create(SHOP, TICKET));
  expect(await trackerWith().findCreated(SHOP, "m-1", Date.now())).toBeNull();
});

test("a new ticket is found on a later page, once GitLab lists it", async () => {
  const since = Date.now();
  await trackerWith().create(SHOP, { ...TICKET, marker: "first" });
  await create(6);
  gitlab.maxPerPage = 2;
  expect(await trackerWith().findCreated(SHOP, "first", since)).toMatchObject({ key: "acme/shop#1" });
  gitlab.lagMs = 60_000;
  expect(await trackerWith().findCreated(SHOP, "first", since)).toBeNull();
  expect(trackerWith().creationLagMs).toBeGreaterThan(0);
});

test("a search for a new ticket ignores older ones", async () => {
  await create(2);
  expect(await trackerWith().findCreated(SHOP, "m-1", Date.now() + 3_600_000)).toBeNull();
});

test("changes are read from all pages, without unchanged tickets", async () => {
  await create(5);
  gitlab.maxPerPage = 2;
  const changed = await trackerWith().changedSince(SHOP, Date.now() - 60_000);
  expect(changed.map(({ externalId }) => externalId).sort()).toEqual(["1", "2", "3", "4", "5"]);
  gitlab.setDone("3", true);
  const { updatedAt } = await trackerWith().read(SHOP, "3");
  expect(await trackerWith().changedSince(SHOP, updatedAt)).toMatchObject([{ externalId: "3", isDone: true }]);
});

test("a ticket is closed and reopened, and a closed one is not closed again", async () => {
  await create();
  expect(await trackerWith().setDone(SHOP, "1", true)).toMatchObject({ state: "closed", isDone: true });
  expect(await trackerWith().setDone(SHOP, "1", true)).toMatchObject({ isDone: true });
  expect(asked("PUT")).toBe(1);
  expect(await trackerWith().setDone(SHOP, "1", false)).toMatchObject({ state: "opened", isDone: false });
});

test("a comment whose reply was lost is added only once", async () => {
  await create();
  gitlab.maxPerPage = 1;
  const comment = { body: "Fixed in version 7.", marker: "c-1" };
  gitlab.fault = ({ method }) => (method === "POST" ? "lose" : undefined);
  expect(await failure(trackerWith().comment(SHOP, "1", comment))).toMatchObject({ ambiguous: true });
  gitlab.fault = () => undefined;
  await trackerWith().comment(SHOP, "1", { body: "Something else.", marker: "c-2" });
  await trackerWith().comment(SHOP, "1", comment);
  expect(gitlab.tickets()[0]?.comments).toEqual([
    "Fixed in version 7.\n\n<!-- whetstone:c-1 -->",
    "Something else.\n\n<!-- whetstone:c-2 -->",
  ]);
});

test("merge requests and commits that mention a ticket are listed once, with their titles", async () => {
  await create();
  gitlab.mention("1", { kind: "commit", title: "Retry the search" });
  gitlab.mention("1", { kind: "pull_request", title: "Search again" });
  gitlab.mention("1", { kind: "pull_request", title: "Search faster" });
  await trackerWith().comment(SHOP, "1", { body: "mentioned in commit 1234567890", marker: "c-1" });
  gitlab.maxPerPage = 1;
  const references = await trackerWith().references(SHOP, "1");
  expect(references).toHaveLength(3);
  expect(references).toContainEqual({
    kind: "commit",
    url: expect.stringMatching(/^https:\/\/gitlab\.com\/acme\/shop\/-\/commit\/\w{40}$/),
    title: "Retry the search",
    state: null,
    at: expect.any(Number),
  });
  expect(references).toContainEqual({
    kind: "pull_request",
    url: expect.stringMatching(/\/acme\/shop\/-\/merge_requests\/\d+$/),
    title: "Search faster",
    state: "open",
    at: expect.any(Number),
  });
});

test("a commit whose message cannot be read is listed by its hash", async () => {
  await create();
  gitlab.mention("1", { kind: "commit", title: "Retry the search" });
  gitlab.fault = ({ path }) => (path.includes("/commits/") ? 403 : undefined);
  expect(await trackerWith().references(SHOP, "1")).toMatchObject([
    {
      title: expect.stringMatching(/^Commit \w{8}$/),
      url: expect.stringMatching(/^https:\/\/gitlab\.com\/acme\/shop\/-\/commit\/\w{40}$/),
    },
  ]);
});

test("an exhausted rate limit has its end time, and the call is not retried", async () => {
  gitlab.fault = () => "limit";
  const error = await failure(trackerWith().changedSince(SHOP, 0));
  expect(error).toMatchObject({ reason: "rate_limited", transient: true, ambiguous: false });
  expect(error.message).toMatch(
    /^The rate limit of GitLab has been reached\. Calls will be accepted again at \d{4}-.* UTC\.$/,
  );
  expect(error.retryAt).toBeGreaterThan(Date.now());
  expect(error.retryAt).toBeLessThan(Date.now() + 3000);
  expect(gitlab.received).toHaveLength(1);
});

test("a server error while creating is reported as temporary and possibly effective, and is not retried", async () => {
  gitlab.fault = () => 502;
  expect(await failure(trackerWith().create(SHOP, TICKET))).toMatchObject({ reason: "unavailable", ambiguous: true });
  expect(asked("POST")).toBe(1);
});

test("a conflict is reported as temporary", async () => {
  gitlab.fault = () => 409;
  expect(await failure(trackerWith().create(SHOP, TICKET))).toMatchObject({
    reason: "unavailable",
    message: "GitLab replied with the status 409: “409 Conflict”. Try again.",
  });
});

test.each([
  [
    "a project that does not exist",
    () => trackerWith().create("acme/missing", TICKET),
    "destination",
    "acme/missing does not exist on GitLab, or the token cannot see it: “404 Project Not Found”. Check the name and the token's access.",
  ],
  [
    "a name that is no project",
    () => trackerWith().read("shop", "1"),
    "destination",
    "“shop” is not a project. Write it as group/project.",
  ],
  [
    "a name that leads elsewhere",
    () => trackerWith().read("acme/../shop", "1"),
    "destination",
    "“acme/../shop” is not a project. Write it as group/project.",
  ],
  [
    "a project without issues",
    () => trackerWith().create("acme/no-issues", TICKET),
    "destination",
    "Issues are turned off in acme/no-issues. Turn them on in its settings, under Visibility, project features, permissions.",
  ],
  [
    "an archived project",
    () => trackerWith().create("acme/archived", TICKET),
    "destination",
    "acme/archived is archived and does not accept issues. Choose another project.",
  ],
  [
    "a token that has expired",
    () => trackerWith("glpat-expired").create(SHOP, TICKET),
    "credential",
    "GitLab does not accept the token: “401 Unauthorized”. Enter a valid one in the connection.",
  ],
  [
    "a token that may only read",
    () => trackerWith("glpat-read-only-9b31").create(SHOP, TICKET),
    "credential",
    "GitLab does not let the token do this in acme/shop: “The request requires higher privileges than provided by the access token”. Give it write access to issues there.",
  ],
  [
    "a ticket with a blank title",
    () => trackerWith().create(SHOP, { ...TICKET, title: " " }),
    "destination",
    "GitLab rejected the request for acme/shop (400): “title can't be blank”. Correct the connection's settings accordingly.",
  ],
  [
    "a ticket that never was",
    () => trackerWith().read(SHOP, "77"),
    "gone",
    "acme/shop#77 no longer exists on GitLab, or the token cannot see it: “404 Not found”. Replace the ticket if it is still needed.",
  ],
  [
    "a ticket in a project that is gone",
    () => trackerWith().read("acme/missing", "1"),
    "destination",
    "acme/missing does not exist on GitLab, or the token cannot see it: “404 Project Not Found”. Check the name and the token's access.",
  ],
])("%s is explained", async (_, call, reason, message) => {
  const error = await failure(call());
  expect({ reason: error.reason, message: error.message }).toEqual({ reason, message });
  expect(error).toMatchObject({ transient: false, ambiguous: false });
});

test("every call about a deleted ticket reports it as gone", async () => {
  await create();
  gitlab.remove("1");
  const tracker = trackerWith();
  const calls = [
    () => tracker.read(SHOP, "1"),
    () => tracker.setDone(SHOP, "1", true),
    () => tracker.comment(SHOP, "1", { body: "Fixed.", marker: "c-1" }),
    () => tracker.references(SHOP, "1"),
  ];
  for (const call of calls) expect(await failure(call())).toMatchObject({ reason: "gone" });
});

test.each([
  ["a token with the scope api", "glpat-simulated-token-9b30", SHOP, []],
  ["a token whose scopes GitLab does not tell", "oauth-simulated-token-9b32", SHOP, []],
  ["no default project", "glpat-simulated-token-9b30", null, []],
  ["a token that may only read", "glpat-read-only-9b31", SHOP, [/^The token lacks the scope api,/]],
  ["a wrong token", "glpat-wrong", null, [/^GitLab does not accept the token: “401 Unauthorized”/]],
  ["a project that does not exist", "glpat-simulated-token-9b30", "acme/missing", [/acme\/missing does not exist/]],
  ["a project without issues", "glpat-simulated-token-9b30", "acme/no-issues", [/^Issues are turned off/]],
  ["an archived project", "glpat-simulated-token-9b30", "acme/archived", [/is archived/]],
  ["a project of which it is a guest", "glpat-simulated-token-9b30", "acme/guest", [/the Reporter role/]],
  ["a role that GitLab does not tell", "glpat-simulated-token-9b30", "acme/invited", []],
  ["a public project", "glpat-simulated-token-9b30", "acme/public", []],
])("a check of %s lists the problems", async (_, secret, destination, problems) => {
  const found = await trackerWith(secret).check(destination);
  expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});

test("a check that cannot be made throws instead of listing problems", async () => {
  gitlab.fault = () => "limit";
  expect(await failure(trackerWith().check(SHOP))).toMatchObject({ reason: "rate_limited" });
});
