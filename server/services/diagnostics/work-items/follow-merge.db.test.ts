import { afterEach, beforeEach, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { startGithub } from "@/testbed/trackers/github-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import {
  getFinding,
  handOff,
  listFindingCauses,
  listFindingEvents,
  listFindingWorkItems,
  listTicketChanges,
  mergeFindingsByHand,
  replaceWorkItem,
  splitFinding,
  syncWorkItem,
  undoFindingChange,
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

/** Two Findings of one Rule; those named have a ticket. */
async function twoFindings(...handedOff: ("first" | "second")[]) {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId: first } = await failedTool(ctx, { tool: "get_order" });
  const { findingId: second } = await failedTool(ctx, { tool: "send_mail", error: "Error: the mailbox is full" });
  const found = { first, second };
  const items = [];
  for (const name of handedOff)
    items.push((await handOff(ctx, { findingId: found[name], provider: "github" })).workItem);
  return { ctx, ...found, items };
}
/** A Finding's own work items, without those of Findings that were merged into it. */
const itemsOf = async (ctx: Ctx, findingId: string) =>
  (await listFindingWorkItems(ctx, { findingId })).workItems.filter((item) => item.findingId === findingId);
const resolutionOf = async (ctx: Ctx, findingId: string) =>
  (await getFinding(ctx, { findingId })).finding.resolutionStatus;

test("a merged Finding's ticket moves to the Finding that it was merged into, and closing it resolves that one", async () => {
  const { ctx, first, second, items } = await twoFindings("second");
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  expect(await itemsOf(ctx, first)).toMatchObject([{ id: items[0]!.id, state: "open", findingId: first }]);
  expect(await itemsOf(ctx, second)).toEqual([]);
  const { events } = await listFindingEvents(ctx, { findingId: first });
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "detached", detail: expect.objectContaining({ as: "moved", to: first }) }),
  );
  expect(events.map(({ kind }) => kind)).toContain("handed_off");
  github.setDone("1", true);
  await syncWorkItem(ctx, { findingId: first, workItemId: items[0]!.id });
  expect(await resolutionOf(ctx, first)).toBe("resolved");
});

test("a closed ticket that moves to an unresolved Finding is reopened", async () => {
  const { ctx, first, second, items } = await twoFindings("second");
  await updateFinding(ctx, { findingId: second, resolutionStatus: "resolved" });
  await runTurns(ctx, items[0]!.id);
  expect(github.tickets()).toMatchObject([{ isDone: true }]);
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  await runTurns(ctx, items[0]!.id);
  expect(github.tickets()).toMatchObject([{ isDone: false }]);
  expect(await resolutionOf(ctx, first)).not.toBe("resolved");
});

test("if both Findings have a ticket, the merged one's is replaced and gets a comment that links to the other", async () => {
  const { ctx, first, second, items } = await twoFindings("first", "second");
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  const [kept, ended] = items;
  expect(await itemsOf(ctx, first)).toMatchObject([{ id: kept!.id, state: "open" }]);
  expect(await itemsOf(ctx, second)).toMatchObject([{ id: ended!.id, state: "replaced", replacedById: kept!.id }]);
  await runTurns(ctx, ended!.id);
  await runTurns(ctx, ended!.id);
  const [, old] = github.tickets();
  expect(old).toMatchObject({ isDone: false, comments: [expect.stringContaining(`[acme/shop#1](${kept!.url})`)] });
  expect(old!.comments[0]).toContain(`/p/${ctx.projectId}/findings/${first}`);
  const { changes } = await listTicketChanges(ctx, { findingId: second, workItemId: ended!.id });
  expect(changes).toContainEqual(expect.objectContaining({ kind: "comment", reason: "merged", state: "done" }));
  github.setDone("2", true);
  expect(await resolutionOf(ctx, first)).not.toBe("resolved");
});

test("undoing a merge gives each Finding its ticket back", async () => {
  for (const handedOff of [["second"], ["first", "second"]] as const) {
    const { ctx, first, second } = await twoFindings(...handedOff);
    const before = [await itemsOf(ctx, first), await itemsOf(ctx, second)].map((items) => items.map(({ id }) => id));
    const { change } = await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
    await undoFindingChange(ctx, { changeId: change.id });
    const after = [await itemsOf(ctx, first), await itemsOf(ctx, second)];
    expect(after.map((items) => items.map(({ id }) => id))).toEqual(before);
    expect(after.flat().map(({ state }) => state)).toEqual(handedOff.map(() => "open"));
    await runTurns(ctx, after[1]![0]!.id);
    expect(github.tickets().flatMap(({ comments }) => comments)).toEqual([]);
  }
});

test("undoing a merge does not move a ticket that the Finding got in the meantime", async () => {
  const { ctx, first, second, items } = await twoFindings("second");
  const { change } = await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  const { id: workItemId } = items[0]!;
  const { workItem } = await replaceWorkItem(ctx, { findingId: first, workItemId, provider: "github" });
  await undoFindingChange(ctx, { changeId: change.id });
  expect((await itemsOf(ctx, first)).filter(({ state }) => state === "open")).toMatchObject([{ id: workItem.id }]);
  expect(await itemsOf(ctx, second)).toEqual([]);
});

test("a merge does not change another project's tickets", async () => {
  const other = await twoFindings("first", "second");
  const { ctx, first, second } = await twoFindings("first", "second");
  await expect(mergeFindingsByHand(ctx, { findingId: first, findingIds: [other.second] })).rejects.toMatchObject({
    code: "not_found",
  });
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  for (const findingId of [other.first, other.second])
    expect(await itemsOf(other.ctx, findingId)).toMatchObject([{ state: "open" }]);
});

test("a ticket whose creation is in progress moves with the merge and is created once", async () => {
  const { ctx, first, second } = await twoFindings();
  github.fault = ({ method }) => (method === "POST" ? 502 : undefined);
  const { workItem } = await handOff(ctx, { findingId: second, provider: "github" });
  expect(workItem.state).toBe("pending");
  github.fault = () => undefined;
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  await runTurns(ctx, workItem.id);
  expect(await itemsOf(ctx, first)).toMatchObject([{ id: workItem.id, state: "open" }]);
  expect(github.tickets()).toHaveLength(1);
});

test("undoing a split moves the split Finding's ticket back", async () => {
  const { ctx, first, second, items } = await twoFindings();
  expect(items).toEqual([]);
  await mergeFindingsByHand(ctx, { findingId: first, findingIds: [second] });
  const { causes } = await listFindingCauses(ctx, { findingId: first });
  const { finding, change } = await splitFinding(ctx, { findingId: first, causes: [causes[0]!.id] });
  const { workItem } = await handOff(ctx, { findingId: finding.id, provider: "github" });
  await undoFindingChange(ctx, { changeId: change.id });
  expect(await itemsOf(ctx, first)).toMatchObject([{ id: workItem.id, state: "open" }]);
});
