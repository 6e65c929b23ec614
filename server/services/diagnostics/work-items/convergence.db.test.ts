import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { ticketChanges, trackerCursors, workItems } from "@/db/schema";
import { randomFrom } from "@/db/testing/random";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import type { Ctx } from "@/server/platform/context";
import { createTrackerWebhook } from "@/server/services/connections";
import type { TrackerKind } from "@/server/services/connections/schemas";
import { startGithub } from "@/testbed/trackers/github-server";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { startJira } from "@/testbed/trackers/jira-server";
import { startLinear } from "@/testbed/trackers/linear-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import {
  getFinding,
  handOffMany,
  listFindingWorkItems,
  listTicketChanges,
  listWorkItems,
  pollTrackers,
  receiveTrackerDelivery,
  updateFinding,
} from "..";
import { runWorkItem } from "./sync/run-work-item";
import { connectTracker, failedTool } from "./testing";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const TRACKERS: [TrackerKind, () => Promise<SimulatedTracker>][] = [
  ["github", startGithub],
  ["gitlab", startGitlab],
  ["linear", () => startLinear()],
  ["jira", () => startJira({ deployment: "Cloud" })],
];

const FINDINGS = 5;
const EVENTS = amount(150, 1000);
const toolOf = (n: number) => `tool_${"abcdefgh"[n]}`;

/** Ends leases and waits, as if hours had passed. A process that died left its lease behind. */
async function passTime(ctx: Ctx) {
  await db()
    .update(workItems)
    .set({ leasedUntil: null, dueAt: sql`case when ${workItems.dueAt} is null then null else 0 end` })
    .where(eq(workItems.projectId, ctx.projectId));
  await db().update(trackerCursors).set({ dueAt: null }).where(eq(trackerCursors.projectId, ctx.projectId));
}

/** Runs a turn. If `dies`, the process is killed after calling the tracker, and its transactions are not stored. */
async function runOrDie(ctx: Ctx, id: string, dies: boolean) {
  if (!dies) return runWorkItem(ctx, id);
  const dying = { ...ctx, db: dyingAfterCalls(ctx) };
  return runWorkItem(dying, id).catch(() => ({ done: true }));
}

/** A database handle whose transactions fail: the tracker's reply arrived but was never stored. */
const dyingAfterCalls = (ctx: Ctx): Ctx["db"] =>
  new Proxy(ctx.db, {
    get(target, name, receiver) {
      if (name === "transaction") return () => Promise.reject(new Error("The process was killed."));
      return Reflect.get(target, name, receiver);
    },
  });

test.each(TRACKERS)(
  "%s: shuffled, repeated, lost and delayed events, faults and kills leave one ticket per Finding in the same state",
  async (kind, start) => {
    const random = randomFrom(kind.length * 7919);
    const chance = (share: number) => random() < share;
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    const tracker = await start();
    const { ctx } = await testProject();
    const connection = await connectTracker(ctx, kind, tracker);
    const { webhook } = await createTrackerWebhook(ctx, { connectionId: connection.id });
    tracker.webhookSecret = webhook.secret;
    const findings: string[] = [];
    for (let n = 0; n < FINDINGS; n += 1) findings.push((await failedTool(ctx, { tool: toolOf(n) })).findingId);

    // Creation under faults: replies are lost, connections break, the tracker fails and rate-limits, processes die.
    tracker.fault = () => (chance(0.2) ? pick(["drop", "lose", "limit", 500, 503] as const) : undefined);
    await handOffMany(ctx, { findingIds: findings, provider: kind });
    const items = (await listWorkItems(ctx, {})).workItems.map(({ id }) => id);
    const isPending = async () => (await listWorkItems(ctx, { state: ["pending", "failed"] })).workItems.length > 0;
    for (let round = 0; (await isPending()) && round < 100; round += 1) {
      await passTime(ctx);
      await db()
        .update(workItems)
        .set({ state: "pending", attempts: 0, error: null, dueAt: 0 })
        .where(and(eq(workItems.projectId, ctx.projectId), eq(workItems.state, "failed")));
      for (const id of items) await runOrDie(ctx, id, chance(0.2));
    }
    expect(tracker.tickets()).toHaveLength(FINDINGS);

    // Normal use: people act in the tracker and here; deliveries arrive late, twice or never, in any order.
    const deliveries: { headers: Record<string, string>; body: string }[] = [];
    for (let event = 0; event < EVENTS; event += 1) {
      const ticket = pick(tracker.tickets());
      const act = random();
      if (act < 0.4) {
        tracker.setDone(ticket.externalId, chance(0.5));
        if (chance(0.7)) deliveries.push(tracker.delivery(ticket.externalId));
        if (chance(0.2)) deliveries.push(tracker.delivery(ticket.externalId));
      } else if (act < 0.55) {
        const findingId = pick(findings);
        await updateFinding(ctx, { findingId, resolutionStatus: chance(0.5) ? "resolved" : "unresolved" });
      } else if (act < 0.75 && deliveries.length > 0) {
        const [delivery] = deliveries.splice(Math.floor(random() * deliveries.length), 1);
        const { headers, body } = delivery!;
        const given = {
          projectId: ctx.projectId,
          connectionId: connection.id,
          headers,
          body: async () => Buffer.from(body),
        };
        await receiveTrackerDelivery(db(), given);
      } else if (act < 0.77) {
        await failedTool(ctx, { tool: toolOf(Math.floor(random() * FINDINGS)), startedAt: Date.now() + 1000 });
      } else if (act < 0.8) await pollTrackers(ctx);
      else {
        await passTime(ctx);
        await runOrDie(ctx, pick(items), chance(0.25));
      }
    }

    // The faults end: what is queued is done, and the poll finds the rest.
    tracker.fault = () => undefined;
    for (let round = 0; round < 20; round += 1) {
      await passTime(ctx);
      await db()
        .update(ticketChanges)
        .set({ state: "queued", error: null, doneAt: null })
        .where(and(eq(ticketChanges.projectId, ctx.projectId), eq(ticketChanges.state, "failed")));
      await db().update(workItems).set({ dueAt: 0 }).where(eq(workItems.projectId, ctx.projectId));
      for (const id of items) await runWorkItem(ctx, id);
      await pollTrackers(ctx);
    }

    expect(tracker.tickets()).toHaveLength(FINDINGS);
    const byId = new Map(tracker.tickets().map((ticket) => [ticket.externalId, ticket]));
    for (const findingId of findings) {
      const { workItems: linked } = await listFindingWorkItems(ctx, { findingId });
      expect(linked).toHaveLength(1);
      const { resolutionStatus } = (await getFinding(ctx, { findingId })).finding;
      const ticket = byId.get(linked[0]!.externalId!)!;
      expect({
        findingId,
        there: ticket.isDone,
        here: linked[0]!.state,
        finding: resolutionStatus === "resolved",
      }).toEqual({ findingId, there: ticket.isDone, here: ticket.isDone ? "closed" : "open", finding: ticket.isDone });
      // Each of our changes comments at most once, however often it was tried.
      const { changes } = await listTicketChanges(ctx, { findingId, workItemId: linked[0]!.id, limit: 500 });
      const ours = changes.filter(({ kind: what }) => ["close", "reopen", "comment"].includes(what));
      expect(ticket.comments.length).toBeLessThanOrEqual(ours.length);
    }
    await tracker.stop();
  },
  240_000,
);
