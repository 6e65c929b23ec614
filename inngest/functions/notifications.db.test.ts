import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { and, eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { deliveries } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import { type Received, startService } from "@/server/services/connections/testing";
import { createRuleRuns, executeRuleRuns } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { createNotificationRule, listDeliveries, queueNotices } from "@/server/services/notifications";
import { inngest } from "../client";
import { functions } from ".";
import { startEngineProcess } from "./testing/start-engine-process";

/** In its own file because the environment is read once, and here services on loopback may be called. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

let engine: Engine | undefined;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  for (const end of ends.splice(0)) await end();
});

type Reply = (request: Received, response: ServerResponse) => unknown;
const TOOLS = ["get_order", "get_user", "get_price"];

/** A project whose webhook has one message queued per tool that failed. */
async function withDeliveries(reply: Reply) {
  const { ctx } = await testProject();
  const receiver = await startService(reply);
  ends.push(receiver.stop);
  const given = { kind: "webhook" as const, name: "Alerts", baseUrl: receiver.url, secret: "a signing secret" };
  const { id: connectionId } = (await createConnection(ctx, given)).connection;
  await createNotificationRule(ctx, { name: "All", connectionId, ruleIds: ["tool-failure"], minSeverity: "high" });
  for (const tool of TOOLS) {
    const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall(tool, `Error: ${tool} is broken`));
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    const mine = runs.filter(({ ruleId }) => ruleId === "tool-failure");
    await executeRuleRuns(
      ctx,
      mine.map((run) => run.id),
    );
  }
  expect(await queueNotices(db())).toEqual({ deliveries: TOOLS.length });
  return { ctx, receiver };
}

const idOf = ({ headers }: Received) => String(headers["webhook-id"]);
const delivered = async (ctx: Ctx) => (await listDeliveries(ctx, { state: "delivered", limit: 10 })).deliveries.length;
const repeatsOf = (received: readonly Received[]) => received.length - new Set(received.map(idOf)).size;
const finish = async (ctx: Ctx) => {
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK, leaseMs: 400 });
  await until(async () => (await delivered(ctx)) === TOOLS.length);
};

test("a worker that is killed before it reads the receiver's reply repeats only that message, with the same id", async () => {
  let held: Received | undefined;
  const { ctx, receiver } = await withDeliveries((request, response) => {
    if (held) return response.writeHead(204).end();
    held = request;
  });
  const child = await startEngineProcess();
  ends.push(() => child.kill("SIGKILL"));
  await until(async () => held && (await delivered(ctx)) === TOOLS.length - 1);
  child.kill("SIGKILL");
  await once(child, "exit");

  await finish(ctx);
  const { received } = receiver;
  expect(new Set(received.map(idOf)).size).toBe(TOOLS.length);
  expect(repeatsOf(received)).toBe(1);
  const both = received.filter((one) => idOf(one) === idOf(held!));
  const [first, again] = both.map(({ body }) => JSON.parse(body));
  expect(both).toHaveLength(2);
  expect(again).toEqual({ ...first, timestamp: again.timestamp });
  const { deliveries: all } = await listDeliveries(ctx, { limit: 10 });
  expect(all.map(({ attempts }) => attempts).sort()).toEqual([1, 1, 2]);
});

test("a worker that is killed while it records the receiver's reply repeats no message", async () => {
  let gate: ReturnType<typeof holdDelivery> | undefined;
  const { ctx, receiver } = await withDeliveries(async (request, response) => {
    if (!gate) {
      gate = holdDelivery(ctx, idOf(request).replace(/^msg_/, ""));
      await gate.held;
    }
    response.writeHead(204).end();
  });
  const child = await startEngineProcess();
  ends.push(() => child.kill("SIGKILL"));
  await until(async () => gate && (await isWaiting(ctx)) && (await delivered(ctx)) === TOOLS.length - 1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await gate?.release();

  await finish(ctx);
  expect(new Set(receiver.received.map(idOf)).size).toBe(TOOLS.length);
  // The database completes a statement that was sent to it, even if its client is gone.
  expect(repeatsOf(receiver.received)).toBe(0);
});

/** Returns whether a connection is waiting for a delivery that another one has locked. */
async function isWaiting({ db: database }: Ctx) {
  const rows = await database.execute(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'update "deliveries"%'`);
  return rows.length > 0;
}

/** Holds the lock of a delivery's row until it is released. */
function holdDelivery(ctx: Ctx, id: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding = () => {};
  const held = new Promise<void>((resolve) => {
    holding = resolve;
  });
  const done = ctx.db.transaction(async (tx) => {
    await tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(eq(deliveries.projectId, ctx.projectId), eq(deliveries.id, id)))
      .for("update");
    holding();
    await released;
  });
  return {
    held,
    release: async () => {
      release();
      await done;
    },
  };
}
