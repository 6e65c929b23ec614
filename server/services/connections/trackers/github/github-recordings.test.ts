import issueRecording from "@octokit/fixtures/scenarios/api.github.com/add-labels-to-issue/normalized-fixture.json";
import errorRecording from "@octokit/fixtures/scenarios/api.github.com/errors/normalized-fixture.json";
import pagesRecording from "@octokit/fixtures/scenarios/api.github.com/paginate-issues/normalized-fixture.json";
import renameRecording from "@octokit/fixtures/scenarios/api.github.com/rename-repository/normalized-fixture.json";
import { afterEach, expect, test } from "vitest";
import { githubIssue, githubRepository } from "@/testbed/trackers/github-json";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { ticketStore } from "@/testbed/trackers/ticket-store";
import { startService } from "../../testing";
import { githubTracker } from "./github";

type Recorded = { path: string; status: number; response: unknown; headers: Record<string, string | number> };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Replays GitHub's recorded replies in order, regardless of the request. */
async function replaying(recorded: readonly Recorded[]) {
  const left = [...recorded];
  const service = await startService((_, response) => {
    const { status, response: body, headers } = left.shift() ?? { status: 500, response: {}, headers: {} };
    const ours = (text: unknown) => String(text).replaceAll("https://api.github.com", service.url);
    const sent = Object.entries(headers).filter(([name]) => /^(content-type|link|location|x-.*)$/.test(name));
    response.writeHead(status, Object.fromEntries(sent.map(([name, value]) => [name, ours(value)])));
    response.end(JSON.stringify(body));
  });
  stops.push(service.stop);
  return { service, tracker: githubTracker(testCaller("github", service.url, "ghp-token"), NO_OPTIONS) };
}

const PAGES = pagesRecording as unknown as Recorded[];

test("pages are read at the connection's address, whatever host their links name", async () => {
  const pages = PAGES.map((page) => ({
    ...page,
    headers: { ...page.headers, link: `${page.headers.link}`.replaceAll("api.github.com", "inside.example") },
  }));
  const { tracker } = await replaying(pages);
  expect(await tracker.changedSince("octokit-fixture-org/paginate-issues", 0)).toHaveLength(13);
});

test("all pages of a recorded issue list are read by following their links", async () => {
  const { service, tracker } = await replaying(PAGES);
  const tickets = await tracker.changedSince("octokit-fixture-org/paginate-issues", 0);
  expect(tickets.map(({ key }) => key)).toEqual(
    Array.from({ length: 13 }, (_, n) => `octokit-fixture-org/paginate-issues#${13 - n}`),
  );
  expect(tickets[0]).toEqual({
    externalId: "13",
    key: "octokit-fixture-org/paginate-issues#13",
    url: "https://github.com/octokit-fixture-org/paginate-issues/issues/13",
    state: "open",
    isDone: false,
    updatedAt: Date.parse("2017-10-10T16:00:00Z"),
  });
  expect(service.received.slice(1).map(({ path }) => path)).toEqual(PAGES.slice(1).map(({ path }) => path));
});

test("the recorded reply to a new issue is read as a ticket", async () => {
  const { tracker } = await replaying(issueRecording as unknown as Recorded[]);
  const ticket = { title: "Issue without a label", body: "", labels: [], issueType: null, marker: "m-1" };
  expect(await tracker.create("octokit-fixture-org/add-labels-to-issue", ticket)).toMatchObject({
    externalId: "1",
    key: "octokit-fixture-org/add-labels-to-issue#1",
  });
});

test("a recorded validation error is reported with its field", async () => {
  const { tracker } = await replaying(errorRecording as unknown as Recorded[]);
  const ticket = { title: "Fails", body: "", labels: [], issueType: null, marker: "m-1" };
  await expect(tracker.create("octokit-fixture-org/errors", ticket)).rejects.toMatchObject({
    reason: "destination",
    message: expect.stringContaining("“Validation Failed: color invalid”"),
  });
});

test("a reply in another format than GitHub's leaves open whether the ticket was created", async () => {
  const headers = { "content-type": "text/html" };
  const { tracker } = await replaying([{ path: "", status: 200, response: "<html>Sign in</html>", headers }]);
  const ticket = { title: "Fails", body: "", labels: [], issueType: null, marker: "m-1" };
  await expect(tracker.create("acme/shop", ticket)).rejects.toMatchObject({
    reason: "unavailable",
    ambiguous: true,
    message: "The reply from GitHub does not match its API documentation. Check the connection's address.",
  });
});

test("a check follows the recorded redirect of a renamed repository", async () => {
  const [, moved, repository] = renameRecording as unknown as Recorded[];
  if (!moved || !repository) throw new Error("The recording has another form.");
  const list = PAGES[0] as Recorded;
  const { service, tracker } = await replaying([moved, repository, list]);
  expect(await tracker.check("octokit-fixture-org/rename-repository")).toEqual([]);
  expect(service.received[1]?.path).toBe("/repositories/1000");
});

test("the simulated GitHub has only fields that the recorded replies have", () => {
  const ticket = ticketStore("acme/shop", { open: "open", done: "closed" }).create({});
  const recordedIssue = (issueRecording as unknown as Recorded[])[0]?.response as object;
  expect(Object.keys(recordedIssue)).toEqual(expect.arrayContaining(Object.keys(githubIssue(ticket, ""))));
  const recordedRepository = (renameRecording as unknown as Recorded[])[2]?.response as object;
  expect(Object.keys(recordedRepository)).toEqual(
    expect.arrayContaining(Object.keys(githubRepository("acme/shop", ""))),
  );
});
