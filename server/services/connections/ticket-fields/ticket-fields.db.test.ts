import { afterEach, beforeEach, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { startGithub } from "@/testbed/trackers/github-server";
import { startJira } from "@/testbed/trackers/jira-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { createConnection, getConnection, getTicketFields, testConnection, updateTicketFields } from "..";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let jira: SimulatedTracker;
beforeEach(async () => {
  jira = await startJira({ deployment: "Cloud" });
});
afterEach(() => jira.stop());

const SEVERITY = "customfield_10042";

async function connected(settings: object = { defaultDestination: "FORM" }) {
  const { ctx } = await testProject();
  const { baseUrl, secret } = jira;
  const { connection } = await createConnection(ctx, { kind: "jira", name: "Our Jira", baseUrl, secret, settings });
  return { ctx, connectionId: connection.id };
}

const storedOf = async (ctx: Ctx, connectionId: string) => {
  const { connection } = await getConnection(ctx, { connectionId });
  return "ticketFields" in connection ? connection.ticketFields : undefined;
};

test("the fields that a project requires are read with their options, and have no value at first", async () => {
  const { ctx, connectionId } = await connected();
  const { ticketFields } = await getTicketFields(ctx, { connectionId });
  expect(ticketFields).toEqual({
    destination: "FORM",
    issueType: "Task",
    fields: [
      {
        ...{ id: SEVERITY, name: "Severity", required: true, type: "option", trackerType: "option", value: null },
        options: [
          { id: "10200", name: "High" },
          { id: "10201", name: "Low" },
        ],
      },
    ],
  });
});

test("values are stored for each destination, and the connection's test then finds nothing missing", async () => {
  const { ctx, connectionId } = await connected();
  expect((await testConnection(ctx, { connectionId })).test.problems).toEqual([
    "A “Task” in FORM requires “Severity”. Enter its value in the connection, or give it a default value in Jira.",
  ]);
  await updateTicketFields(ctx, { connectionId, values: { [SEVERITY]: "10200" } });
  await updateTicketFields(ctx, { connectionId, destination: "deep", values: { [SEVERITY]: "10201" } });
  expect(await storedOf(ctx, connectionId)).toEqual({ FORM: { [SEVERITY]: "10200" }, DEEP: { [SEVERITY]: "10201" } });
  expect((await getTicketFields(ctx, { connectionId })).ticketFields.fields).toMatchObject([{ value: "10200" }]);
  expect((await testConnection(ctx, { connectionId })).test).toEqual({ ok: true, problems: [] });
});

test("a value of null removes one, even if the project is gone, and other values stay", async () => {
  const { ctx, connectionId } = await connected({ defaultDestination: "ASKS" });
  const cost = "customfield_10044";
  await updateTicketFields(ctx, { connectionId, values: { [SEVERITY]: "10200", [cost]: 3 } });
  await updateTicketFields(ctx, { connectionId, values: { [SEVERITY]: null } });
  expect(await storedOf(ctx, connectionId)).toEqual({ ASKS: { [cost]: 3 } });
  await jira.stop();
  await updateTicketFields(ctx, { connectionId, destination: "ASKS", values: { [cost]: null } });
  expect(await storedOf(ctx, connectionId)).toEqual({});
});

test.each([
  [SEVERITY, "9", "“Severity” has no option “9”. It has: High, Low."],
  [SEVERITY, ["10200"], "“Severity” takes the id of one option."],
  ["customfield_10043", 5, "“Root cause” takes a text."],
  ["customfield_10044", "5", "“Cost” takes a number."],
  ["customfield_10045", ["10200", "7"], "“Regions” has no option “7”. It has: EU, US, Asia."],
  ["customfield_10046", ["two words"], "“Teams” takes a list of labels without spaces."],
  [
    "customfield_10047",
    "nobody",
    "“Owner” takes a user to whom the project's tickets can be assigned, and “nobody” is none.",
  ],
  ["attachment", "x", "The destination's tickets have no such field, or Whetstone cannot fill it in."],
  ["summary", "x", "The destination's tickets have no such field, or Whetstone cannot fill it in."],
])("a value that does not fit the type of its field is refused at its place: %s = %s", async (id, value, message) => {
  const { ctx, connectionId } = await connected({ defaultDestination: "ASKS" });
  await expect(updateTicketFields(ctx, { connectionId, values: { [id]: value } })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: `/values/${id}`, message }],
  });
  expect(await storedOf(ctx, connectionId)).toEqual({});
});

test("a project that does not exist, a wrong credential and an outage are told apart", async () => {
  const { ctx, connectionId } = await connected();
  await expect(getTicketFields(ctx, { connectionId, destination: "GONE" })).rejects.toMatchObject({
    ...{ code: "unprocessable", errors: [{ path: "/destination" }] },
  });
  await expect(getTicketFields(ctx, { connectionId, issueType: "Incident" })).rejects.toMatchObject({
    errors: [{ path: "/destination", message: expect.stringContaining("It has: Task, Bug") }],
  });
  jira.fault = () => 401;
  await expect(getTicketFields(ctx, { connectionId })).rejects.toMatchObject({ errors: [{ path: "/connectionId" }] });
  jira.fault = () => 503;
  await expect(getTicketFields(ctx, { connectionId })).rejects.toMatchObject({ code: "unavailable" });
});

test("other trackers have no fields beyond ours", async () => {
  const github = await startGithub();
  const { ctx } = await testProject();
  const { baseUrl, secret } = github;
  const settings = { defaultDestination: github.destination };
  const { connection } = await createConnection(ctx, { kind: "github", name: "Ours", baseUrl, secret, settings });
  const { ticketFields } = await getTicketFields(ctx, { connectionId: connection.id });
  expect(ticketFields).toEqual({ destination: github.destination, issueType: null, fields: [] });
  await github.stop();
});

test("another project's connection does not exist", async () => {
  const { connectionId } = await connected();
  const { ctx: stranger } = await testProject();
  await expect(getTicketFields(stranger, { connectionId })).rejects.toMatchObject({ code: "not_found" });
  const update = updateTicketFields(stranger, { connectionId, destination: "FORM", values: { [SEVERITY]: null } });
  await expect(update).rejects.toMatchObject({ code: "not_found" });
});
