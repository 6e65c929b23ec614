import { afterEach, beforeEach, expect, test } from "vitest";
import { startGithub } from "@/testbed/trackers/github-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { TrackerError } from "../tracker-error";
import { githubTracker } from "./github";

const SHOP = "acme/shop";
const TICKET = { title: "search fails", body: "It **fails**.", labels: ["agent"], issueType: null, marker: "m-1" };

let github: Awaited<ReturnType<typeof startGithub>>;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(() => github.stop());

const trackerWith = (secret = github.secret, labels: string[] = []) =>
  githubTracker(testCaller("github", github.baseUrl, secret), { ...NO_OPTIONS, labels });
const create = (count = 1) =>
  Promise.all(Array.from({ length: count }, (_, n) => trackerWith().create(SHOP, { ...TICKET, marker: `m-${n + 1}` })));
const asked = (method: string) => github.received.filter((request) => request.method === method).length;

async function failure(call: Promise<unknown>): Promise<TrackerError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TrackerError)) throw error ?? new Error("It did not fail.");
  expect(error.message).not.toContain(github.secret);
  return error;
}

/** Faults the next request with the method. */
function faultOnce(method: string, fault: ReturnType<typeof github.fault>) {
  let left = 1;
  github.fault = (request) => (request.method === method && left-- > 0 ? fault : undefined);
}

test("a ticket has its title, body and labels, and an invisible marker", async () => {
  const ticket = await trackerWith().create(SHOP, TICKET);
  expect(ticket).toMatchObject({
    externalId: "1",
    key: "acme/shop#1",
    url: "https://github.com/acme/shop/issues/1",
    state: "open",
    isDone: false,
  });
  expect(Math.abs(Date.now() - ticket.updatedAt)).toBeLessThan(5000);
  expect(github.tickets()).toMatchObject([
    { title: TICKET.title, labels: ["agent"], body: "It **fails**.\n\n<!-- whetstone:m-1 -->" },
  ]);
});

test("a body and a title that are too long for GitHub are shortened, and the marker is kept", async () => {
  await trackerWith().create(SHOP, { ...TICKET, title: "t".repeat(300), body: "b".repeat(70_000) });
  const [{ body = "", title = "" } = {}] = github.tickets();
  expect([body.length, title.length]).toEqual([65_536, 256]);
  expect(body).toMatch(/b…\n\n<!-- whetstone:m-1 -->$/);
});

test("a ticket whose reply was lost is found by its marker and not created twice", async () => {
  const since = Date.now();
  faultOnce("POST", "lose");
  const error = await failure(trackerWith().create(SHOP, TICKET));
  expect(error).toMatchObject({ reason: "unavailable", ambiguous: true });
  const found = await trackerWith().findCreated(SHOP, "m-1", since);
  expect(found).toMatchObject({ externalId: "1", key: "acme/shop#1" });
  expect(github.tickets()).toHaveLength(1);
});

test("a ticket whose request broke off is not found", async () => {
  faultOnce("POST", "drop");
  await failure(trackerWith().create(SHOP, TICKET));
  expect(await trackerWith().findCreated(SHOP, "m-1", Date.now())).toBeNull();
});

test("a new ticket is found on a later page, once GitHub lists it", async () => {
  const since = Date.now();
  await trackerWith().create(SHOP, { ...TICKET, marker: "first" });
  await create(6);
  github.openPullRequest();
  github.maxPerPage = 2;
  expect(await trackerWith().findCreated(SHOP, "first", since)).toMatchObject({ key: "acme/shop#1" });
  github.lagMs = 60_000;
  expect(await trackerWith().findCreated(SHOP, "first", since)).toBeNull();
  expect(trackerWith().creationLagMs).toBeGreaterThan(0);
});

test("a search for a new ticket stops at older tickets", async () => {
  await create(6);
  github.maxPerPage = 2;
  expect(await trackerWith().findCreated(SHOP, "other", Date.now() + 3_600_000)).toBeNull();
  expect(asked("GET")).toBe(1);
});

test("changes are read from all pages, without pull requests and unchanged tickets", async () => {
  await create(5);
  github.openPullRequest();
  github.maxPerPage = 2;
  const changed = await trackerWith().changedSince(SHOP, Date.now() - 60_000);
  expect(changed.map(({ externalId }) => externalId).sort()).toEqual(["1", "2", "3", "4", "5"]);
  expect(await trackerWith().changedSince(SHOP, Date.now() + 60_000)).toEqual([]);
});

test("a ticket that is closed as not planned counts as done", async () => {
  await create();
  github.setDone("1", true, "not_planned");
  expect(await trackerWith().read(SHOP, "1")).toMatchObject({ state: "closed", isDone: true });
});

test("a ticket is closed and reopened, and a closed one is not closed again", async () => {
  await create();
  expect(await trackerWith().setDone(SHOP, "1", true)).toMatchObject({ state: "closed", isDone: true });
  expect(await trackerWith().setDone(SHOP, "1", true)).toMatchObject({ isDone: true });
  expect(asked("PATCH")).toBe(1);
  expect(await trackerWith().setDone(SHOP, "1", false)).toMatchObject({ state: "open", isDone: false });
  expect(JSON.parse(github.received.findLast(({ method }) => method === "PATCH")?.body ?? "")).toEqual({
    state: "open",
    state_reason: "reopened",
  });
});

test("a comment whose reply was lost is added only once", async () => {
  await create();
  github.maxPerPage = 1;
  const comment = { body: "Fixed in version 7.", marker: "c-1" };
  await trackerWith().comment(SHOP, "1", { body: "Something else.", marker: "c-0" });
  github.fault = ({ method }) => (method === "POST" ? "lose" : undefined);
  expect(await failure(trackerWith().comment(SHOP, "1", comment))).toMatchObject({ ambiguous: true });
  await trackerWith().comment(SHOP, "1", comment);
  expect(github.tickets()[0]?.comments).toEqual([
    "Something else.\n\n<!-- whetstone:c-0 -->",
    "Fixed in version 7.\n\n<!-- whetstone:c-1 -->",
  ]);
});

test("pull requests and commits that mention a ticket are listed with their titles", async () => {
  await create();
  github.mention("1", { kind: "commit", title: "Retry the search" });
  github.mention("1", { kind: "pull_request", title: "Search again" });
  github.maxPerPage = 1;
  const references = await trackerWith().references(SHOP, "1");
  expect(references).toHaveLength(2);
  expect(references).toContainEqual({
    kind: "commit",
    url: expect.stringMatching(/^https:\/\/github\.com\/acme\/shop\/commit\/\w{40}$/),
    title: "Retry the search",
    state: null,
    at: expect.any(Number),
  });
  expect(references).toContainEqual({
    kind: "pull_request",
    url: expect.stringMatching(/\/acme\/shop\/pull\/\d+$/),
    title: "Search again",
    state: "open",
    at: expect.any(Number),
  });
});

test("a commit whose message cannot be read is listed by its hash", async () => {
  await create();
  github.mention("1", { kind: "commit", title: "Retry the search" });
  github.fault = ({ path }) => (path.includes("/commits/") ? 403 : undefined);
  expect(await trackerWith().references(SHOP, "1")).toMatchObject([{ title: expect.stringMatching(/^Commit \w{7}$/) }]);
});

test("a renamed repository can still be read and written under its former name", async () => {
  const ticket = await trackerWith().create("acme/old-shop", TICKET);
  expect(ticket.key).toBe("acme/shop#1");
  expect(await trackerWith().setDone("acme/old-shop", "1", true)).toMatchObject({ externalId: "1", isDone: true });
  await trackerWith().comment("acme/old-shop", "1", { body: "Done.", marker: "c-1" });
  expect(github.tickets()[0]?.comments).toHaveLength(1);
});

test("a transferred ticket is read and changed under its former address, and has its new one", async () => {
  await create(2);
  const moved = github.transfer("2");
  const home = { externalId: moved.externalId, movedTo: moved.destination, key: "acme/support#1" };
  expect(await trackerWith().read(SHOP, "2")).toMatchObject({ ...home, isDone: false });
  expect(await trackerWith().setDone(SHOP, "2", true)).toMatchObject({ ...home, isDone: true });
  const there = await trackerWith().read(moved.destination, moved.externalId);
  expect(there).toMatchObject({ externalId: moved.externalId, isDone: true });
  expect(there).not.toHaveProperty("movedTo");
  expect(await trackerWith().changedSince(SHOP, 0)).toMatchObject([{ externalId: "1" }]);
});

test("an exhausted rate limit has its end time, and the call is not retried", async () => {
  github.fault = () => "limit";
  const error = await failure(trackerWith().changedSince(SHOP, 0));
  expect(error).toMatchObject({ reason: "rate_limited", transient: true, ambiguous: false });
  expect(error.message).toMatch(
    /^The rate limit of GitHub has been reached\. Calls will be accepted again at \d{4}-.* UTC\.$/,
  );
  expect(error.retryAt).toBeGreaterThan(Date.now());
  expect(error.retryAt).toBeLessThan(Date.now() + 3000);
  expect(github.received).toHaveLength(1);
});

test("a server error while creating is reported as temporary and possibly effective, and is not retried", async () => {
  github.fault = () => 502;
  expect(await failure(trackerWith().create(SHOP, TICKET))).toMatchObject({ reason: "unavailable", ambiguous: true });
  expect(asked("POST")).toBe(1);
});

test.each([
  [
    "a repository that does not exist",
    () => trackerWith().create("acme/missing", TICKET),
    "destination",
    "acme/missing does not exist on GitHub, or the token cannot see it: “Not Found”. Check the name and the token's access.",
  ],
  [
    "a name that is no repository",
    () => trackerWith().read("shop", "1"),
    "destination",
    "“shop” is not a repository. Write it as owner/repo.",
  ],
  [
    "a name that leads elsewhere",
    () => trackerWith().read("../user", "1"),
    "destination",
    "“../user” is not a repository. Write it as owner/repo.",
  ],
  [
    "a repository without issues",
    () => trackerWith().create("acme/no-issues", TICKET),
    "destination",
    "acme/no-issues does not accept tickets: “Issues has been disabled in this repository”. Turn its issues on, or choose another destination.",
  ],
  [
    "an archived repository",
    () => trackerWith().create("acme/archived", TICKET),
    "destination",
    "acme/archived does not accept tickets: “Repository was archived so is read-only”. Unarchive it, or choose another destination.",
  ],
  [
    "a token that has expired",
    () => trackerWith("ghp-expired").create(SHOP, TICKET),
    "credential",
    "GitHub does not accept the token: “Bad credentials”. Enter a valid one in the connection.",
  ],
  [
    "a token without write access to issues",
    () => trackerWith("github_pat_without-issues-5d23").create(SHOP, TICKET),
    "credential",
    "GitHub does not let the token do this in acme/shop: “Resource not accessible by personal access token”. Give it write access to issues there.",
  ],
  [
    "a ticket without a title",
    () => trackerWith().create(SHOP, { ...TICKET, title: "" }),
    "destination",
    "GitHub rejected the request for acme/shop (422): “Validation Failed: title missing_field”. Correct the connection's settings accordingly.",
  ],
  [
    "a ticket that never was",
    () => trackerWith().read(SHOP, "77"),
    "gone",
    "acme/shop#77 no longer exists on GitHub, or the token cannot see it: “Not Found”. Replace the ticket if it is still needed.",
  ],
  [
    "a ticket in a repository that is gone",
    () => trackerWith().read("acme/missing", "1"),
    "destination",
    "acme/missing does not exist on GitHub, or the token cannot see it: “Not Found”. Check the name and the token's access.",
  ],
])("%s is explained", async (_, call, reason, message) => {
  const error = await failure(call());
  expect({ reason: error.reason, message: error.message }).toEqual({ reason, message });
  expect(error).toMatchObject({ transient: false, ambiguous: false });
});

test("every call about a deleted ticket reports it as gone", async () => {
  await create();
  github.remove("1");
  const tracker = trackerWith();
  const comment = { body: "Fixed.", marker: "c-1" };
  const calls = [
    () => tracker.read(SHOP, "1"),
    () => tracker.setDone(SHOP, "1", true),
    () => tracker.comment(SHOP, "1", comment),
    () => tracker.references(SHOP, "1"),
  ];
  for (const call of calls)
    expect(await failure(call())).toMatchObject({
      reason: "gone",
      message: expect.stringMatching(/^acme\/shop#1 .*deleted/),
    });
});

test.each([
  ["a classic token with the scope repo", "ghp-simulated-token-5d20", SHOP, []],
  ["a fine-grained token", "github_pat_simulated-5d22", SHOP, []],
  ["no default repository", "ghp-simulated-token-5d20", null, []],
  ["a token without its scope", "ghp-without-repo-5d21", SHOP, [/^The token lacks the scope repo,/]],
  ["a fine-grained token without issues", "github_pat_without-issues-5d23", SHOP, [/write access to issues/]],
  [
    "a fine-grained token that may only read issues",
    "github_pat_reads-issues-5d24",
    SHOP,
    [/does not let the token do this in acme\/shop.*write access to issues/],
  ],
  ["a wrong token", "ghp-wrong", null, [/^GitHub does not accept the token: “Bad credentials”/]],
  ["a repository that does not exist", "ghp-simulated-token-5d20", "acme/missing", [/acme\/missing does not exist/]],
  ["a repository without issues", "ghp-simulated-token-5d20", "acme/no-issues", [/^Issues are turned off/]],
  ["an archived repository", "ghp-simulated-token-5d20", "acme/archived", [/is archived/]],
  ["a repository that may only be read", "ghp-simulated-token-5d20", "acme/read-only", [/Triage or Write/]],
  ["labels that would be dropped", "ghp-simulated-token-5d20", "acme/public", [/GitHub drops labels/]],
])("a check of %s lists the problems", async (_, secret, destination, problems) => {
  const found = await trackerWith(secret, ["agent"]).check(destination);
  expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  expect(github.tickets()).toEqual([]);
});

test("a check that cannot be made throws instead of listing problems", async () => {
  github.fault = () => "limit";
  expect(await failure(trackerWith().check(SHOP))).toMatchObject({ reason: "rate_limited" });
});
