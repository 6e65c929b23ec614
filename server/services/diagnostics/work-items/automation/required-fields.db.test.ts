import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { updateTicketFields } from "@/server/services/connections";
import { startJira } from "@/testbed/trackers/jira-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { createHandoffRule, handOff, handOffByRules, listWorkItems, updateHandoffRule } from "../..";
import { connectTracker, failedTool, runTurns } from "../testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let jira: SimulatedTracker;
beforeEach(async () => {
  jira = await startJira({ deployment: "Cloud" });
});
afterEach(() => jira.stop());

const VALUES = { customfield_10042: "10200" };

async function connected() {
  const { ctx } = await testProject();
  const { id: connectionId } = await connectTracker(ctx, "jira", jira);
  const rule = {
    ...{ name: "Severe", connectionId, ruleIds: ["tool-failure"], minConversations: 1 },
    minSeverity: "info" as const,
  };
  return { ctx, connectionId, rule };
}
const REFUSED = {
  code: "unprocessable",
  errors: [{ path: "/destination", message: expect.stringContaining("A “Task” in FORM requires “Severity”.") }],
};

test("a rule for a project that requires a field is refused until the field has a value; its tickets have it", async () => {
  const { ctx, connectionId, rule } = await connected();
  await expect(createHandoffRule(ctx, { ...rule, destination: "FORM" })).rejects.toMatchObject(REFUSED);
  await updateTicketFields(ctx, { connectionId, destination: "FORM", values: VALUES });
  await createHandoffRule(ctx, { ...rule, destination: "FORM" });
  await failedTool(ctx);
  await handOffByRules(db());
  const [item] = (await listWorkItems(ctx, {})).workItems;
  await runTurns(ctx, item!.id);
  expect(jira.tickets()).toMatchObject([{ key: "FORM-1", fields: { customfield_10042: { id: "10200" } } }]);
});

test("a rule cannot be moved to such a project, and a paused one there cannot be enabled", async () => {
  const { ctx, rule } = await connected();
  const { handoffRule } = await createHandoffRule(ctx, rule);
  const to = (given: object) => updateHandoffRule(ctx, { handoffRuleId: handoffRule.id, ...given });
  await expect(to({ destination: "FORM" })).rejects.toMatchObject(REFUSED);
  await to({ enabled: false });
  await expect(to({ enabled: true, destination: "FORM" })).rejects.toMatchObject(REFUSED);
});

test("a rule can be set up while Jira does not reply", async () => {
  const { ctx, rule } = await connected();
  await jira.stop();
  expect((await createHandoffRule(ctx, { ...rule, destination: "FORM" })).handoffRule.destination).toBe("FORM");
});

test("a handoff to a project that requires a field without a value is refused with what to do", async () => {
  const { ctx, connectionId } = await connected();
  const { findingId } = await failedTool(ctx);
  const send = () => handOff(ctx, { findingId, provider: "jira", destination: "FORM" });
  await expect(send()).rejects.toMatchObject({
    errors: [{ path: "/destination", message: expect.stringContaining("Enter its value in the connection") }],
  });
  await updateTicketFields(ctx, { connectionId, destination: "FORM", values: VALUES });
  expect((await send()).workItem).toMatchObject({ externalKey: "FORM-1", state: "open" });
});
