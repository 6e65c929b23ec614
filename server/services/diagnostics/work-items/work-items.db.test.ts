import { and, eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog, occurrences, trackerCursors, workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createTrackerWebhook, deleteConnection, getConnection, listConnections } from "@/server/services/connections";
import { startGithub } from "@/testbed/trackers/github-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import {
  abandonWorkItem,
  findingTimeline,
  getFinding,
  getWorkItem,
  handOff,
  handOffMany,
  listCodeReferences,
  listFindingEvents,
  listFindingWorkItems,
  listTicketChanges,
  listTrackerDeliveries,
  listWorkItems,
  pollTrackers,
  previewHandOff,
  receiveTrackerDelivery,
  repairHandoff,
  replaceWorkItem,
  replayTrackerDelivery,
  retryWorkItem,
  syncWorkItem,
  updateFinding,
} from "..";
import { connectTracker, failedTool, runTurns } from "./testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let github: SimulatedTracker;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(() => github.stop());

async function linked(settings: object = {}) {
  const { ctx } = await testProject();
  const connection = await connectTracker(ctx, "github", github, settings);
  const { findingId } = await failedTool(ctx);
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  return { ctx, connection, findingId, workItem };
}
const stateOf = async (ctx: Parameters<typeof getFinding>[0], findingId: string) => {
  const { finding } = await getFinding(ctx, { findingId });
  return { reviewStatus: finding.reviewStatus, resolutionStatus: finding.resolutionStatus };
};

test("a handoff creates a ticket with evidence and links, confirms the Finding and stores the ticket's reference", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github, { labels: ["whetstone"] });
  const { findingId, conversationId } = await failedTool(ctx);
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  const [ticket] = github.tickets();
  expect(workItem).toMatchObject({
    findingId,
    provider: "github",
    destination: github.destination,
    state: "open",
    externalId: ticket!.externalId,
    externalKey: ticket!.key,
    externalState: "open",
    error: null,
  });
  expect(ticket).toMatchObject({ labels: ["whetstone"], isDone: false });
  expect(ticket!.body).toContain(`/p/${ctx.projectId}/findings/${findingId}`);
  expect(ticket!.body).toContain(conversationId);
  expect(ticket!.body).toContain("the record is locked");
  const { finding } = await getFinding(ctx, { findingId });
  expect(finding).toMatchObject({ reviewStatus: "confirmed", repairHandoffRef: `github:${ticket!.key}` });
  const { events } = await listFindingEvents(ctx, { findingId });
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["handed_off", "reviewed"]));
});

test("personal data and secrets in the evidence are masked in the ticket", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const secret = "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a";
  const { findingId } = await failedTool(ctx, { error: `Error: no order for anna.meier@example.org with ${secret}` });
  const { tickets } = await previewHandOff(ctx, { findingIds: [findingId], provider: "github" });
  await handOff(ctx, { findingId, provider: "github" });
  for (const { body } of [tickets[0]!, github.tickets()[0]!]) {
    expect(body).toContain("<EMAIL_1>");
    expect(body).not.toContain("anna.meier");
    expect(body).not.toContain(secret);
  }
});

test("a ticket quotes the clearest evidence first, and not the newest", async () => {
  const { ctx } = await testProject();
  const { findingId, conversationId: clearest } = await failedTool(ctx);
  const { conversationId: newest } = await failedTool(ctx);
  await ctx.db
    .update(occurrences)
    .set({ score: 0.4 })
    .where(and(eq(occurrences.projectId, ctx.projectId), eq(occurrences.conversationId, newest)));
  await connectTracker(ctx, "github", github, {
    bodyTemplate: "{% for one in occurrences %}{{ one.conversation }} {% endfor %}",
  });
  const { tickets } = await previewHandOff(ctx, { findingIds: [findingId], provider: "github" });
  expect(tickets[0]!.body!.trim().split(/\s+/)).toEqual([clearest, newest]);
});

test("words of tools are plain text in a ticket, and code in its evidence", async () => {
  const { ctx } = await testProject();
  const bodyTemplate = "{{ occurrences[0].summary }}\n\n{{ occurrences[0].quotes[0] }}";
  await connectTracker(ctx, "github", github, { titleTemplate: "{{ occurrences[0].summary }}", bodyTemplate });
  const { findingId } = await failedTool(ctx, { error: "Error: ask @octocat about #12" });
  await handOff(ctx, { findingId, provider: "github" });
  const { title, body } = github.tickets()[0]!;
  const [text, evidence] = body.split("```text");
  for (const shown of [title, text]) expect(shown).toContain("ask @\u200boctocat about #\u200b12");
  expect(evidence).toContain("ask @octocat about #12");
});

test("repeating a handoff returns the same ticket, and another tracker or destination is a conflict", async () => {
  const { ctx, findingId, workItem } = await linked();
  expect((await handOff(ctx, { findingId, provider: "github" })).workItem.id).toBe(workItem.id);
  expect(github.tickets()).toHaveLength(1);
  await expect(handOff(ctx, { findingId, provider: "github", destination: "other/place" })).rejects.toMatchObject({
    code: "conflict",
  });
  await connectTracker(ctx, "gitlab", github);
  await expect(handOff(ctx, { findingId, provider: "gitlab" })).rejects.toMatchObject({ code: "conflict" });
});

test("without a usable connection the error explains how to create one, and the Finding is not confirmed", async () => {
  const { ctx } = await testProject();
  const { findingId } = await failedTool(ctx);
  await expect(handOff(ctx, { findingId, provider: "linear" })).rejects.toMatchObject({
    code: "not_implemented",
    message: expect.stringContaining("Integrations"),
  });
  expect(await stateOf(ctx, findingId)).toMatchObject({ reviewStatus: "unreviewed" });
});

test("a destination that the tracker rejects is reported with the tracker's message, and nothing is linked", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const refused = handOff(ctx, { findingId, provider: "github", destination: github.unusableDestination });
  await expect(refused).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/destination", message: expect.stringContaining("Not Found") }],
  });
  expect((await listWorkItems(ctx, {})).workItems).toEqual([]);
  expect(await stateOf(ctx, findingId)).toMatchObject({ reviewStatus: "unreviewed" });
});

test("a ticket whose creation got no reply is found later and not created twice", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  github.fault = ({ method }) => (method === "POST" ? "lose" : undefined);
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  expect(workItem).toMatchObject({ state: "pending", externalId: null, error: expect.any(String) });
  expect(github.tickets()).toHaveLength(1);
  github.fault = () => undefined;
  expect(await runTurns(ctx, workItem.id)).toBeGreaterThan(Date.now());
  await db().update(workItems).set({ dueAt: 0 }).where(eq(workItems.id, workItem.id));
  await runTurns(ctx, workItem.id);
  expect((await getWorkItem(ctx, { workItemId: workItem.id })).workItem).toMatchObject({
    state: "open",
    externalId: github.tickets()[0]!.externalId,
  });
  expect(github.tickets()).toHaveLength(1);
});

test("a rate limit leaves the work item pending with the reason", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  github.fault = () => "limit";
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  expect(workItem).toMatchObject({ state: "pending", error: expect.stringMatching(/limit/i) });
  expect(await stateOf(ctx, findingId)).toMatchObject({ reviewStatus: "confirmed" });
});

test("closing a ticket in the tracker resolves its Finding, and reopening it makes the Finding unresolved", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.setDone(workItem.externalId!, true);
  expect((await syncWorkItem(ctx, { findingId, workItemId: workItem.id })).workItem).toMatchObject({
    state: "closed",
    externalState: "closed",
  });
  expect(await stateOf(ctx, findingId)).toEqual({ reviewStatus: "confirmed", resolutionStatus: "resolved" });
  github.setDone(workItem.externalId!, false);
  await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
  expect(await stateOf(ctx, findingId)).toEqual({ reviewStatus: "confirmed", resolutionStatus: "unresolved" });
  // What came from the ticket is not sent back to it.
  expect(github.tickets()[0]!.comments).toEqual([]);
});

test("a ticket leased by a job is read once the lease ends", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.setDone(workItem.externalId!, true);
  await db()
    .update(workItems)
    .set({ leasedUntil: Date.now() + 1_000 })
    .where(eq(workItems.id, workItem.id));
  const { workItem: after } = await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
  expect(after.state).toBe("closed");
});

test("reading a ticket from a failing tracker is rejected as unavailable with the reason", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.fault = () => 503;
  await expect(syncWorkItem(ctx, { findingId, workItemId: workItem.id })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("503"),
  });
});

test("polling finds changed tickets without a webhook", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.setDone(workItem.externalId!, true);
  expect(await pollTrackers(ctx)).toEqual({ changed: 1 });
  await runTurns(ctx, workItem.id);
  expect(await stateOf(ctx, findingId)).toMatchObject({ resolutionStatus: "resolved" });
  expect(await pollTrackers(ctx)).toEqual({ changed: 0 });
});

test("a Finding that regresses reopens its ticket with a comment, once", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.setDone(workItem.externalId!, true);
  await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
  await failedTool(ctx, { startedAt: Date.now() + 1000 });
  expect(await stateOf(ctx, findingId)).toMatchObject({ resolutionStatus: "unresolved" });
  await runTurns(ctx, workItem.id);
  await runTurns(ctx, workItem.id);
  expect(github.tickets()[0]).toMatchObject({ isDone: false, comments: [expect.stringContaining("Seen again")] });
  expect((await getWorkItem(ctx, { workItemId: workItem.id })).workItem).toMatchObject({ state: "open" });
});

test("depending on onRegression, a Finding that regresses gets a new ticket or a comment", async () => {
  for (const [onRegression, tickets] of [["new_ticket", 2] as const, ["comment", 1] as const]) {
    github.stop();
    github = await startGithub();
    const { ctx, findingId, workItem } = await linked({ onRegression });
    github.setDone(workItem.externalId!, true);
    await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
    await failedTool(ctx, { startedAt: Date.now() + 1000 });
    await runTurns(ctx, workItem.id);
    const [current] = (await listFindingWorkItems(ctx, { findingId })).workItems;
    await runTurns(ctx, current!.id);
    expect(github.tickets()).toHaveLength(tickets);
    expect(github.tickets().find(({ externalId }) => externalId === workItem.externalId)).toMatchObject({
      isDone: true,
      comments: tickets === 1 ? [expect.stringContaining("Seen again")] : [],
    });
  }
});

test("resolving a Finding closes its ticket, and dismissing it adds a comment", async () => {
  const { ctx, findingId, workItem } = await linked();
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  await runTurns(ctx, workItem.id);
  expect(github.tickets()[0]).toMatchObject({ isDone: true, comments: [expect.stringContaining("Resolved")] });
  await updateFinding(ctx, { findingId, reviewStatus: "dismissed", dismissalReason: "expected" });
  await runTurns(ctx, workItem.id);
  expect(github.tickets()[0]!.comments[1]).toContain("Dismissed in Whetstone as expected behaviour");
});

test("only a Finding's latest state is sent to its ticket", async () => {
  const { ctx, findingId, workItem } = await linked();
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  await updateFinding(ctx, { findingId, resolutionStatus: "unresolved" });
  await runTurns(ctx, workItem.id);
  expect(github.tickets()[0]).toMatchObject({ isDone: false, comments: [] });
  const { changes } = await listTicketChanges(ctx, { findingId, workItemId: workItem.id });
  expect(changes.map(({ kind, state }) => `${kind} ${state}`)).toEqual(["reopen done", "close skipped", "create done"]);
});

test("a replacement creates a new ticket and keeps the old one as history; abandoning only detaches the ticket", async () => {
  const { ctx, findingId, workItem } = await linked();
  const replaced = await replaceWorkItem(ctx, { findingId, workItemId: workItem.id, provider: "github" });
  expect(github.tickets()).toHaveLength(2);
  const { workItems: history } = await listFindingWorkItems(ctx, { findingId });
  expect(history.map(({ id, state, replacedById }) => ({ id, state, replacedById }))).toEqual([
    { id: replaced.workItem.id, state: "open", replacedById: null },
    { id: workItem.id, state: "replaced", replacedById: replaced.workItem.id },
  ]);
  const ended = await abandonWorkItem(ctx, { findingId, workItemId: replaced.workItem.id });
  expect(ended.workItem.state).toBe("abandoned");
  expect(github.tickets().every(({ isDone }) => !isDone)).toBe(true);
  await expect(abandonWorkItem(ctx, { findingId, workItemId: workItem.id })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("a replacement that the tracker rejects leaves the old ticket linked", async () => {
  const { ctx, findingId, workItem } = await linked();
  const destination = github.unusableDestination;
  const refused = replaceWorkItem(ctx, { findingId, workItemId: workItem.id, provider: "github", destination });
  await expect(refused).rejects.toMatchObject({ code: "unprocessable" });
  expect((await listFindingWorkItems(ctx, { findingId })).workItems).toMatchObject([
    { id: workItem.id, state: "open" },
  ]);
});

test("a ticket that a job could not create fails, and retrying it by hand reports the failure again", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const destination = github.unusableDestination;
  const { results } = await handOffMany(ctx, { findingIds: [findingId, "fnd_none"], provider: "github", destination });
  expect(results[1]).toEqual({ findingId: "fnd_none", workItemId: null, problem: "Finding was not found." });
  const workItemId = results[0]!.workItemId!;
  await runTurns(ctx, workItemId);
  expect((await getWorkItem(ctx, { workItemId })).workItem).toMatchObject({
    state: "failed",
    error: expect.stringContaining("Not Found"),
  });
  await expect(retryWorkItem(ctx, { findingId, workItemId })).rejects.toMatchObject({ code: "unprocessable" });
  expect((await getWorkItem(ctx, { workItemId })).workItem.state).toBe("failed");
});

test("pull requests that mention the ticket are listed and shown on the Finding's timeline", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.mention(workItem.externalId!, { kind: "pull_request", title: "Handle missing orders" });
  await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
  const { references } = await listCodeReferences(ctx, { findingId, workItemId: workItem.id });
  expect(references).toMatchObject([{ kind: "pull_request", title: "Handle missing orders" }]);
  const { markers } = await findingTimeline(ctx, { findingId });
  expect(markers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "handed_off", name: workItem.externalKey }),
      expect.objectContaining({ kind: "pull_request", name: "Handle missing orders" }),
    ]),
  );
});

test("a ticket deleted in the tracker fails its work item and does not change the Finding", async () => {
  const { ctx, findingId, workItem } = await linked();
  github.remove(workItem.externalId!);
  const { workItem: after } = await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
  expect(after).toMatchObject({ state: "failed", error: expect.any(String) });
  expect(await stateOf(ctx, findingId)).toEqual({ reviewStatus: "confirmed", resolutionStatus: null });
  await expect(retryWorkItem(ctx, { findingId, workItemId: workItem.id })).rejects.toMatchObject({ code: "conflict" });
  await replaceWorkItem(ctx, { findingId, workItemId: workItem.id, provider: "github" });
  expect(github.tickets()).toHaveLength(1);
});

test("a signed delivery updates its ticket once, and a wrong signature or an unknown webhook is rejected", async () => {
  const { ctx, connection, findingId, workItem } = await linked();
  const target = { projectId: ctx.projectId, connectionId: connection.id };
  const delivered = () => {
    const { headers, body } = github.delivery(workItem.externalId!);
    return { ...target, headers, body: async () => Buffer.from(body) };
  };
  github.setDone(workItem.externalId!, true);
  await expect(receiveTrackerDelivery(db(), delivered())).rejects.toMatchObject({ code: "not_found" });
  const { webhook } = await createTrackerWebhook(ctx, { connectionId: connection.id });
  expect(webhook.url).toContain(connection.id);
  github.webhookSecret = webhook.secret;
  const good = delivered();
  await expect(
    receiveTrackerDelivery(db(), { ...good, body: async () => Buffer.from("forged") }),
  ).rejects.toMatchObject({
    code: "unauthenticated",
  });
  expect(await receiveTrackerDelivery(db(), good)).toEqual({ repeated: false });
  expect(await receiveTrackerDelivery(db(), good)).toEqual({ repeated: true });
  await runTurns(ctx, workItem.id);
  expect(await stateOf(ctx, findingId)).toMatchObject({ resolutionStatus: "resolved" });
  const { trackerDeliveries } = await listTrackerDeliveries(ctx, {});
  expect(trackerDeliveries).toMatchObject([{ state: "processed", workItemId: workItem.id }]);
  const other = await testProject();
  await expect(replayTrackerDelivery(other.ctx, { trackerDeliveryId: trackerDeliveries[0]!.id })).rejects.toMatchObject(
    { code: "not_found" },
  );
  await replayTrackerDelivery(ctx, { trackerDeliveryId: trackerDeliveries[0]!.id });
});

test("repairHandoff hands off through a connection with a default destination", async () => {
  const { ctx } = await testProject();
  const { findingId } = await failedTool(ctx);
  await expect(repairHandoff(ctx, { findingId })).rejects.toMatchObject({ code: "not_implemented" });
  await connectTracker(ctx, "github", github);
  const { finding } = await repairHandoff(ctx, { findingId });
  expect(finding).toMatchObject({ reviewStatus: "confirmed", repairHandoffRef: `github:${github.tickets()[0]!.key}` });
});

test("a work item of another project does not exist", async () => {
  const { ctx, findingId, workItem } = await linked();
  const other = await testProject();
  const theirs = await failedTool(other.ctx);
  const id = { workItemId: workItem.id };
  for (const ask of [
    () => getWorkItem(other.ctx, id),
    () => syncWorkItem(other.ctx, { findingId, ...id }),
    () => syncWorkItem(other.ctx, { findingId: theirs.findingId, ...id }),
    () => abandonWorkItem(other.ctx, { findingId: theirs.findingId, ...id }),
    () => handOff(ctx, { findingId: theirs.findingId, provider: "github" }),
  ])
    await expect(ask()).rejects.toMatchObject({ code: "not_found" });
  expect((await listWorkItems(other.ctx, {})).workItems).toEqual([]);
});

test("deleting a connection leaves its tickets unchanged and shows the reason on them", async () => {
  const { ctx, connection, findingId, workItem } = await linked();
  await deleteConnection(ctx, { connectionId: connection.id });
  expect(await pollTrackers(ctx)).toEqual({ changed: 0 });
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  await runTurns(ctx, workItem.id);
  expect((await getWorkItem(ctx, { workItemId: workItem.id })).workItem).toMatchObject({
    state: "open",
    error: "The connection of this ticket was deleted. Replace the ticket.",
  });
});

test("a connection that the tracker no longer accepts is reported on its tickets until it is accepted again", async () => {
  const { ctx, connection, workItem } = await linked();
  const other = await linked();
  const shown = async () => [
    (await getConnection(ctx, { connectionId: connection.id })).connection,
    (await listConnections(ctx, {})).connections[0],
  ];
  const errorNow = async () => (await getWorkItem(ctx, { workItemId: workItem.id })).workItem.error;
  github.fault = () => 401;
  await pollTrackers(ctx);
  expect(await errorNow()).toEqual(expect.stringMatching(/GitHub/));
  const pollProblems = [{ destination: "acme/shop", problem: expect.stringMatching(/GitHub/) }];
  expect(await shown()).toMatchObject([{ pollProblems }, { pollProblems }]);
  expect((await listConnections(other.ctx, {})).connections).toMatchObject([{ pollProblems: [] }]);
  github.fault = () => undefined;
  await db().update(trackerCursors).set({ dueAt: null }).where(eq(trackerCursors.projectId, ctx.projectId));
  await pollTrackers(ctx);
  expect(await errorNow()).toBeNull();
  expect(await shown()).toMatchObject([{ pollProblems: [] }, { pollProblems: [] }]);
});

test("no secret is in the audit log", async () => {
  const { ctx, connection } = await linked();
  const { webhook } = await createTrackerWebhook(ctx, { connectionId: connection.id });
  const rows = JSON.stringify(await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId)));
  expect(rows).toContain("connections.createWebhook");
  expect(rows).not.toContain(webhook.secret);
  expect(rows).not.toContain(github.secret);
});
