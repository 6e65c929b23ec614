import { afterEach, describe, expect, test } from "vitest";
import { startJira } from "@/testbed/trackers/jira-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { testCaller } from "@/testbed/trackers/test-caller";
import type { NewTicket, TrackerOptions } from "../tracker";
import { TrackerError } from "../tracker-error";
import { jiraTracker } from "./jira";

let server: SimulatedTracker;
afterEach(() => server.stop());

const TICKET: NewTicket = {
  title: "search_emails fails",
  body: "It **fails** in 12 conversations.",
  labels: [],
  issueType: null,
  marker: "finding-1",
};

async function failureOf(call: Promise<unknown>): Promise<TrackerError> {
  const error = await call.then(
    () => expect.fail("It did not fail."),
    (failed: unknown) => failed,
  );
  if (!(error instanceof TrackerError)) throw error;
  expect(error.message).not.toContain(server.secret);
  expect(error.message).not.toContain(Buffer.from(server.secret).toString("base64"));
  return error;
}

const isCreation = ({ method, path }: { method: string; path: string }) =>
  method === "POST" && path === "/rest/api/2/issue";

describe.each(["Cloud", "Server"] as const)("Jira, deployed as %s", (deployment) => {
  async function started(options: Partial<TrackerOptions> = {}, pageMax = 100) {
    server = await startJira({ deployment, pageMax });
    return jiraTracker(testCaller("jira", server.baseUrl, server.secret), { ...NO_OPTIONS, ...options });
  }

  test("a ticket is created in wiki markup with the project's first ordinary type, and read back", async () => {
    const tracker = await started();
    const ticket = await tracker.create("PROJ", { ...TICKET, labels: ["whetstone", "needs triage"] });
    expect(ticket).toMatchObject({
      key: "PROJ-1",
      state: "To Do",
      isDone: false,
      url: `${server.baseUrl}/browse/PROJ-1`,
    });
    expect(Math.abs(ticket.updatedAt - Date.now())).toBeLessThan(60_000);
    expect(server.tickets()).toMatchObject([
      {
        externalId: ticket.externalId,
        title: TICKET.title,
        body: "It *fails* in 12 conversations.",
        labels: ["whetstone", "needs-triage"],
      },
    ]);
    expect(JSON.parse(server.received.find(isCreation)!.body).fields.issuetype).toEqual({ id: "10101" });
    expect(await tracker.read("PROJ", ticket.externalId)).toEqual(ticket);
  });

  test("a ticket whose reply was lost is found by its marker once Jira has indexed it", async () => {
    const tracker = await started();
    const since = Date.now();
    await tracker.create("PROJ", { ...TICKET, marker: "finding-0" });
    server.fault = (request) => (isCreation(request) ? "lose" : undefined);
    expect(await failureOf(tracker.create("PROJ", TICKET))).toMatchObject({ reason: "unavailable", ambiguous: true });
    expect(server.received.filter(isCreation)).toHaveLength(2);
    server.fault = () => undefined;
    server.lagMs = 3_600_000;
    expect(await tracker.findCreated("PROJ", TICKET.marker, since)).toBeNull();
    expect(tracker.creationLagMs).toBeGreaterThan(0);
    server.lagMs = 0;
    expect(await tracker.findCreated("PROJ", TICKET.marker, since)).toMatchObject({ key: "PROJ-2" });
    expect(await tracker.findCreated("PROJ", "finding-2", since)).toBeNull();
    expect(server.tickets()).toHaveLength(2);
  });

  test("a ticket that was created but could not be read is reported as possibly created", async () => {
    const tracker = await started();
    server.fault = ({ path }) => (/\/issue\/\d+\?/.test(path) ? "limit" : undefined);
    expect(await failureOf(tracker.create("PROJ", TICKET))).toMatchObject({ ambiguous: true });
    expect(server.tickets()).toHaveLength(1);
  });

  test("a comment whose reply was lost is added only once, even with several pages of comments", async () => {
    const tracker = await started({}, 2);
    const { externalId } = await tracker.create("PROJ", TICKET);
    const comment = { body: "Seen **again**.", marker: "comment-1" };
    server.fault = ({ method }) => (method === "POST" ? "lose" : undefined);
    expect(await failureOf(tracker.comment("PROJ", externalId, comment))).toMatchObject({ ambiguous: true });
    server.fault = () => undefined;
    for (const marker of ["comment-2", "comment-3", "comment-4"])
      await tracker.comment("PROJ", externalId, { body: marker, marker });
    await tracker.comment("PROJ", externalId, { body: "comment-4", marker: "comment-4" });
    await tracker.comment("PROJ", externalId, comment);
    expect(server.tickets()[0]?.comments).toEqual(["Seen *again*.", "comment-2", "comment-3", "comment-4"]);
  });

  test("all changed tickets are returned from all pages, to the millisecond", async () => {
    const tracker = await started({}, 2);
    const tickets = [];
    for (let index = 0; index < 5; index++)
      tickets.push(await tracker.create("PROJ", { ...TICKET, marker: `finding-${index}` }));
    await tracker.create("STEP", { ...TICKET, marker: "elsewhere" });
    expect((await tracker.changedSince("PROJ", 0)).map(({ key }) => key)).toEqual(
      [1, 2, 3, 4, 5].map((number) => `PROJ-${number}`),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    const now = Date.now();
    server.setDone(tickets[0]!.externalId, true);
    expect(await tracker.changedSince("PROJ", now)).toMatchObject([{ key: "PROJ-1", isDone: true, state: "Done" }]);
  });

  test("a ticket is moved by a transition with its resolution, and stays if it is already done", async () => {
    const tracker = await started();
    const { externalId } = await tracker.create("PROJ", TICKET);
    expect(await tracker.setDone("PROJ", externalId, true)).toMatchObject({ state: "Done", isDone: true });
    expect(server.received.at(-2)?.body).toContain('"resolution":{"id":"10000"}');
    server.setDone(externalId, true, "Won't Do");
    expect(await tracker.setDone("PROJ", externalId, true)).toMatchObject({ state: "Won't Do" });
    expect(await tracker.setDone("PROJ", externalId, false)).toMatchObject({ state: "To Do", isDone: false });
  });

  test("the connection's mapping of states decides where a ticket goes", async () => {
    const tracker = await started({ openStates: ["in progress"], closedStates: ["Verified", "in review"] });
    const { externalId } = await tracker.create("PROJ", TICKET);
    expect(await tracker.setDone("PROJ", externalId, true)).toMatchObject({ state: "In Review", isDone: false });
    expect(await tracker.setDone("PROJ", externalId, true)).toMatchObject({ state: "In Review" });
    expect(await tracker.setDone("PROJ", externalId, false)).toMatchObject({ state: "In Progress" });
  });

  test("a missing transition is reported with the available ones, and one that needs a field with the field", async () => {
    const tracker = await started();
    const { externalId } = await tracker.create("STEP", TICKET);
    const blocked = await failureOf(tracker.setDone("STEP", externalId, true));
    expect(blocked).toMatchObject({ reason: "destination", ambiguous: false });
    expect(blocked.message).toBe(
      "No transition leads from “To Do”, the current state of STEP-1, to a state that counts as done. Available transitions: Move to In Progress (to “In Progress”). Move the ticket in Jira, or change the workflow or the mapping of states.",
    );
    server.setDone(externalId, false, "In Review");
    expect((await failureOf(tracker.setDone("STEP", externalId, true))).message).toContain("“Transition issues”");
    server.setDone(externalId, true, "Done");
    const picky = jiraTracker(testCaller("jira", server.baseUrl, server.secret), {
      ...NO_OPTIONS,
      openStates: ["Done", "To Do"],
    });
    expect((await failureOf(picky.setDone("STEP", externalId, true))).message).toBe(
      "The transition “Move to Won't Do” of STEP-1 requires “Reason”, which Whetstone cannot fill in. Move the ticket in Jira, or give the field a default value there.",
    );
  });

  test("links to commits and pull requests are returned with their times", async () => {
    const tracker = await started();
    const { externalId } = await tracker.create("PROJ", TICKET);
    expect(await tracker.references("PROJ", externalId)).toEqual([]);
    const before = Date.now();
    server.mention(externalId, { kind: "pull_request", title: "Fix the search" });
    server.mention(externalId, { kind: "commit", title: "Search again" });
    const references = await tracker.references("PROJ", externalId);
    expect(references).toMatchObject([
      { kind: "pull_request", title: "Fix the search", state: "open", url: expect.stringContaining("/pull/1") },
      { kind: "commit", title: "Search again", state: null },
    ]);
    expect(references[0]!.at).toBeGreaterThanOrEqual(before);
  });

  test("a check lists the problems and the available alternatives", async () => {
    const tracker = await started({
      openStates: ["To Do"],
      closedStates: ["Verified"],
      labels: ["whetstone"],
      issueType: "bug",
    });
    expect(await tracker.check(null)).toEqual([]);
    const noState =
      "has no state “Verified”. It has: To Do, In Progress, In Review, Done, Won't Do. Change the mapping of states.";
    expect(await tracker.check("PROJ")).toEqual([`PROJ ${noState}`]);
    expect(await tracker.check("GONE")).toEqual([
      "Jira has no project with this key, or the account cannot see it. Check the key and the account's access.",
    ]);
    expect(await tracker.check("no project")).toEqual([
      "“no project” is not the key of a Jira project. A key looks like PROJ.",
    ]);
    expect(await tracker.check("FORM")).toEqual([
      "A “Bug” in FORM requires “Severity”. Enter its value in the connection, or give it a default value in Jira.",
      "A “Bug” in FORM is created without labels: its screen has no labels field. Add the field in Jira, or remove the labels from the connection.",
      `FORM ${noState}`,
    ]);
    const typeless = jiraTracker(testCaller("jira", server.baseUrl, server.secret), {
      ...NO_OPTIONS,
      issueType: "Incident",
    });
    expect(await typeless.check("PROJ")).toEqual([
      "PROJ has no issue type “Incident”. It has: Task, Bug. Choose one in the connection.",
    ]);
    expect((await typeless.check("LOCK")).slice(0, 2)).toEqual([
      "The account is not allowed to create tickets in LOCK. Give it the permission “Create Issues” in that project.",
      "The account is not allowed to comment on tickets in LOCK. Give it the permission “Add Comments” in that project.",
    ]);
    server.fault = () => 401;
    expect(await failureOf(tracker.check("PROJ"))).toMatchObject({ reason: "credential" });
  });

  test("a missing required field is reported by Jira's name, and labels that the screen lacks are left out", async () => {
    const tracker = await started();
    const error = await failureOf(tracker.create("FORM", TICKET));
    expect(error).toMatchObject({ reason: "destination", ambiguous: false });
    expect(error.message).toMatch(
      /^Jira rejected a “Task” in FORM: “.*Severity is required”\. Enter its value in the connection/,
    );
    expect(await tracker.create("BARE", { ...TICKET, labels: ["whetstone"] })).toMatchObject({ key: "BARE-1" });
    expect(server.tickets()[0]?.labels).toEqual([]);
  });

  /** A value of each type, for fields that ASKS requires. */
  const VALUES = {
    customfield_10042: "10201",
    customfield_10043: "Not known yet",
    customfield_10044: 12.5,
    customfield_10045: ["10200", "10202"],
    customfield_10046: ["agents", "search"],
    customfield_10047: deployment === "Cloud" ? "5b109f2e9729b51b54dc274d" : "grace",
  };

  test("the fields that a project asks for are read from all pages with their types and options", async () => {
    const tracker = await started({}, 3);
    const { issueType, fields } = await tracker.fields!("asks", { values: VALUES });
    expect(issueType).toBe("Task");
    expect(fields.map(({ name, type, required }) => [name, type, required])).toEqual([
      ["Severity", "option", true],
      ["Root cause", "text", true],
      ["Cost", "number", true],
      ["Regions", "options", true],
      ["Teams", "labels", true],
      ["Owner", "user", true],
      ["Components", "options", false],
    ]);
    expect(fields[0]!.options).toEqual([
      { id: "10200", name: "High" },
      { id: "10201", name: "Low" },
    ]);
    expect(fields[5]!.options).toContainEqual({ id: VALUES.customfield_10047, name: "Grace Hopper" });
  });

  test("a user who is not among those listed can be chosen by id", async () => {
    const tracker = await started({}, 1);
    const { fields } = await tracker.fields!("ASKS", { values: VALUES });
    expect(fields.find(({ type }) => type === "user")!.options.map(({ name }) => name)).toEqual([
      "Ada Lovelace",
      "Grace Hopper",
    ]);
    const { fields: others } = await tracker.fields!("ASKS", { values: { customfield_10047: "nobody" } });
    expect(others.find(({ type }) => type === "user")!.options).toHaveLength(1);
  });

  test("without the permission to see users, the other fields are read", async () => {
    const tracker = await started();
    server.fault = ({ path }) => (path.includes("/user/") ? 403 : undefined);
    const { fields } = await tracker.fields!("ASKS", { values: {} });
    expect(fields.find(({ type }) => type === "user")!.options).toEqual([]);
  });

  test("a ticket is created with the values of its destination, each as its type wants it", async () => {
    const tracker = await started({ ticketFields: { ASKS: VALUES } });
    expect(await tracker.check("ASKS")).toEqual([]);
    await tracker.create("asks", { ...TICKET, labels: ["whetstone"] });
    expect(server.tickets()[0]).toMatchObject({
      labels: ["whetstone"],
      fields: {
        customfield_10042: { id: "10201" },
        customfield_10043: "Not known yet",
        customfield_10044: 12.5,
        customfield_10045: [{ id: "10200" }, { id: "10202" }],
        customfield_10046: ["agents", "search"],
        customfield_10047: deployment === "Cloud" ? { accountId: VALUES.customfield_10047 } : { name: "grace" },
      },
    });
  });

  test("values for fields that a project does not have are left out, and those of other projects are not sent", async () => {
    const tracker = await started({ ticketFields: { FORM: VALUES, ASKS: VALUES } });
    await tracker.create("FORM", TICKET);
    await tracker.create("PROJ", { ...TICKET, marker: "finding-2" });
    expect(server.tickets().map(({ fields }) => fields)).toEqual([{ customfield_10042: { id: "10201" } }, {}]);
  });

  test("an option that Jira no longer has is reported by the check and before a ticket is created", async () => {
    const tracker = await started({ ticketFields: { FORM: { customfield_10042: "9" } } });
    const words = "“Severity” has no option “9”. It has: High, Low.";
    expect(await tracker.check("FORM")).toEqual([words]);
    expect((await failureOf(tracker.create("FORM", TICKET))).message).toBe(
      `${words} Choose another value in the connection.`,
    );
    expect(server.received.filter(isCreation)).toEqual([]);
  });

  test("a required field that cannot be filled in is reported by its name and type", async () => {
    const tracker = await started({ ticketFields: { DEEP: { customfield_10042: "10200" } } });
    const { fields } = await tracker.fields!("DEEP", { values: {} });
    expect(fields).toContainEqual(expect.objectContaining({ name: "Place", type: null, required: true }));
    expect(await tracker.check("DEEP")).toEqual([
      "A “Task” in DEEP requires “Place” (option-with-child), which Whetstone cannot fill in. Give it a default value in Jira, or choose another issue type.",
    ]);
    const refused = await failureOf(tracker.create("DEEP", TICKET));
    expect(refused.message).toMatch(/“.*Place is required”\. Give the field a default value in Jira/);
  });

  test("an exhausted rate limit has its end time", async () => {
    const tracker = await started();
    server.fault = () => "limit";
    const error = await failureOf(tracker.read("PROJ", "10001"));
    expect(error).toMatchObject({ reason: "rate_limited", ambiguous: false, transient: true });
    expect(error.retryAt! - Date.now()).toBeGreaterThan(0);
    expect(error.retryAt! - Date.now()).toBeLessThanOrEqual(1000);
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [401, "credential", /Enter the account's e-mail address and an API token/],
    [403, "credential", /does not let the account do this: “You do not have permission/],
    [400, "destination", /rejected the request \(400\): “The request cannot be processed/],
    [500, "unavailable", /500/],
    [503, "unavailable", /503/],
  ] as const)("a reply of %i is reported as %s with an explanation", async (status, reason, words) => {
    const tracker = await started();
    server.fault = (request) => (isCreation(request) ? status : undefined);
    const error = await failureOf(tracker.create("PROJ", TICKET));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(words);
    expect(error.ambiguous).toBe(reason === "unavailable");
  });

  test("every call about a deleted ticket reports it as gone, and a missing project is a wrong destination", async () => {
    const tracker = await started();
    const { externalId } = await tracker.create("PROJ", TICKET);
    server.remove(externalId);
    for (const call of [
      () => tracker.read("PROJ", externalId),
      () => tracker.read("PROJ", "../myself"),
      () => tracker.setDone("PROJ", externalId, true),
      () => tracker.references("PROJ", externalId),
      () => tracker.comment("PROJ", externalId, { body: "x", marker: "y" }),
    ])
      expect(await failureOf(call())).toMatchObject({ reason: "gone" });
    expect(await tracker.findCreated("PROJ", TICKET.marker, 0)).toBeNull();
    for (const call of [
      () => tracker.create("GONE", TICKET),
      () => tracker.changedSince("GONE", 0),
      () => tracker.findCreated('X" OR project = "PROJ', "y", 0),
    ])
      expect(await failureOf(call())).toMatchObject({ reason: "destination" });
  });

  test("a wrong credential, a broken connection and an unexpected reply are distinguished", async () => {
    const tracker = await started();
    const stranger = jiraTracker(testCaller("jira", server.baseUrl, "wrong@example.com:wrong"), NO_OPTIONS);
    expect(await failureOf(stranger.check(null))).toMatchObject({ reason: "credential" });
    server.fault = () => "drop";
    expect(await failureOf(tracker.read("PROJ", "1"))).toMatchObject({ reason: "unavailable", ambiguous: false });
    server.fault = () => undefined;
    const elsewhere = jiraTracker(testCaller("jira", `${server.baseUrl}/wiki`, server.secret), NO_OPTIONS);
    expect(await failureOf(elsewhere.check(null))).toMatchObject({ reason: "destination" });
  });
});
