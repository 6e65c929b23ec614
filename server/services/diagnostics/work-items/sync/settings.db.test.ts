import { afterEach, beforeEach, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { startLinear } from "@/testbed/trackers/linear-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { getFinding, handOff, syncWorkItem, updateFinding } from "../..";
import { connectTracker, failedTool, runTurns } from "../testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let linear: SimulatedTracker;
beforeEach(async () => {
  linear = await startLinear();
});
afterEach(() => linear.stop());

async function linked(settings: object) {
  const { ctx } = await testProject();
  await connectTracker(ctx, "linear", linear, settings);
  const { findingId } = await failedTool(ctx);
  const { workItem } = await handOff(ctx, { findingId, provider: "linear" });
  const inState = async (done: boolean, state: string) => {
    linear.setDone(workItem.externalId!, done, state);
    const { workItem: after } = await syncWorkItem(ctx, { findingId, workItemId: workItem.id });
    return { state: after.state, externalState: after.externalState, finding: await resolutionOf(ctx, findingId) };
  };
  return { ctx, findingId, workItem, inState };
}
const resolutionOf = async (ctx: Ctx, findingId: string) =>
  (await getFinding(ctx, { findingId })).finding.resolutionStatus;

test("every state mapped as closed resolves the Finding, and one mapped as open makes it unresolved", async () => {
  const { inState } = await linked({ closedStates: ["in review", "Done"], openStates: ["Canceled"] });
  const closed = { state: "closed", finding: "resolved" };
  const open = { state: "open", finding: "unresolved" };
  expect(await inState(false, "In Review")).toEqual({ ...closed, externalState: "In Review" });
  expect(await inState(true, "Canceled")).toEqual({ ...open, externalState: "Canceled" });
  expect(await inState(true, "Done")).toEqual({ ...closed, externalState: "Done" });
});

test("with onResolution set to comment, resolving a Finding comments on its ticket and leaves it open", async () => {
  const { ctx, findingId, workItem } = await linked({ onResolution: "comment" });
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  await runTurns(ctx, workItem.id);
  expect(linear.tickets()).toMatchObject([{ isDone: false, comments: [expect.stringContaining("Resolved")] }]);
});
