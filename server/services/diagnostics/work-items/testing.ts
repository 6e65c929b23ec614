import { inArray } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ruleRuns, trackerDeliveries, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { createConnection } from "@/server/services/connections";
import type { TrackerKind } from "@/server/services/connections/schemas";
import { listFindings } from "../findings/list-findings";
import { createRuleRuns } from "../runs/create-rule-runs";
import { executeRuleRuns } from "../runs/execute-rule-runs";
import { failingToolCall, storedConversation } from "../testing";
import { whichItem } from "./rows";
import { runWorkItem } from "./sync/run-work-item";

/** For tests: stores a delivery of a tracker's webhook, and returns its id. */
export async function storedTrackerDelivery(ctx: Ctx, connectionId: string): Promise<string> {
  const id = newId("tdl");
  const delivered = { deliveryId: id, event: "issues.closed", state: "ignored" as const, receivedAt: NOW };
  await ctx.db.insert(trackerDeliveries).values({ projectId: ctx.projectId, id, connectionId, ...delivered });
  return id;
}

/** For tests: turns a work item into one whose ticket could not be created. */
export const failWorkItem = (ctx: Ctx, id: string, error: string) =>
  ctx.db
    .update(workItems)
    .set({
      state: "failed",
      error,
      externalId: null,
      externalKey: null,
      url: null,
      externalState: null,
      externalUpdatedAt: null,
    })
    .where(whichItem(ctx, id));

type Simulated = { baseUrl: string; secret: string; destination: string };

/** For tests: connects the project to a simulated tracker. */
export async function connectTracker(ctx: Ctx, kind: TrackerKind, simulated: Simulated, settings: object = {}) {
  const { connection } = await createConnection(ctx, {
    kind,
    name: `Our ${kind}`,
    baseUrl: simulated.baseUrl,
    secret: simulated.secret,
    settings: { defaultDestination: simulated.destination, ...settings },
  });
  return connection;
}

type Failure = { tool?: string; error?: string; startedAt?: number; origin?: "backfill" };

/** For tests: diagnoses a conversation in which a tool fails; a tool has one Finding, whose id is returned. */
export async function failedTool(
  ctx: Ctx,
  { tool = "get_order", error = "Error: the record is locked", startedAt, origin }: Failure = {},
) {
  const options = startedAt === undefined ? {} : { startedAt };
  const conversation = await storedConversation(ctx, failingToolCall(tool, error), options);
  const { id: conversationId, lastActivityAt } = conversation;
  const { runs } = await createRuleRuns(ctx, { conversationId, lastActivityAt });
  const runIds = runs.map(({ id }) => id);
  if (origin) await ctx.db.update(ruleRuns).set({ origin }).where(inArray(ruleRuns.id, runIds));
  await executeRuleRuns(ctx, runIds);
  const { findings } = await listFindings(ctx, { conversationId, ruleId: "tool-failure" });
  const found = findings.find(({ signal }) => signal === "tool_error");
  if (!found) throw new Error("The conversation has no Finding.");
  return { findingId: found.id, conversationId };
}

/** For tests: runs a work item's turns until nothing is left to do now. Returns when it would continue (Unix ms), if at all. */
export async function runTurns(ctx: Ctx, workItemId: string): Promise<number | undefined> {
  for (let turn = 0; turn < 20; turn += 1) {
    const { done, waitUntil } = await runWorkItem(ctx, workItemId);
    if (done) return waitUntil;
    if (waitUntil !== undefined && waitUntil > Date.now()) return waitUntil;
  }
  throw new Error("The work item does not come to rest.");
}
