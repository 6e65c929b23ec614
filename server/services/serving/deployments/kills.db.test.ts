import { and, eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { deployments } from "@/db/schema";
import { randomFrom } from "@/db/testing/random";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { runDeployment, stopDeployment, stopOrphans } from ".";
import { prepareDeployment, queueDeployment } from "./insert-deployment";
import { takeTurns } from "./testing/drive";

const DEPLOYS = amount(20, 100);
const SEED = 20_261_124;
const NAMES = ["shop-agent", "other-agent"] as const;

let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(() => attachScripted(trainer));

class Killed extends Error {}
const CALLS = new Set<PropertyKey>(["select", "insert", "update", "delete", "transaction", "execute", "$count"]);

/** A database that fails after so many calls, as if the process had been killed there. */
function killedAfter(calls: number): Db {
  let left = calls;
  return new Proxy(db(), {
    get(target, name) {
      if (CALLS.has(name) && left-- <= 0) throw new Killed();
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function world() {
  const { ctx } = await testProject();
  const [row] = await attachedTrainers(ctx.db);
  const jobId = await storedJob(ctx, { trainerId: row!.id });
  const checkpointIds = await Promise.all([1, 2, 3].map(() => storedCheckpoint(ctx, jobId)));
  return { ctx, checkpointIds };
}

const twoOfOneName = (ctx: Ctx) =>
  ctx.db
    .select({ name: deployments.name })
    .from(deployments)
    .where(and(eq(deployments.projectId, ctx.projectId), eq(deployments.status, "running")))
    .groupBy(deployments.name)
    .having(sql`count(*) > 1`);

const unended = (ctx: Ctx) =>
  ctx.db
    .select()
    .from(deployments)
    .where(
      and(
        eq(deployments.projectId, ctx.projectId),
        inArray(deployments.status, ["pending", "preparing", "starting", "verifying", "running", "stopping"]),
      ),
    )
    .orderBy(deployments.id);

async function answers(id: string) {
  const reply = await fetch(`${trainer.address.url}/v1/deployments/${id}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${trainer.address.token}` },
    body: JSON.stringify({ model: "x", messages: [{ role: "user", content: "Hello" }] }),
  });
  await reply.arrayBuffer();
  return reply.status === 200;
}

test("deployments survive random kills of the app and the trainer: at most one runs per name, and each running one answers", async () => {
  const { ctx, checkpointIds } = await world();
  const random = randomFrom(SEED);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const served = trainer.deployments;
  let queued = 0;
  let kills = 0;

  async function deploy() {
    served.script = oneOf([
      ["running"],
      ["starting", "running"],
      ["preparing", "starting", "verifying", "running"],
      ["starting", "failed"],
    ]);
    const wish = { checkpointId: oneOf(checkpointIds), name: oneOf(NAMES), backend: "auto" as const, force: false };
    try {
      const candidate = await prepareDeployment(ctx, { ...wish, quantization: null, timeoutSeconds: 1200 });
      const { isNew } = await inTransaction(ctx, (tx) => queueDeployment(tx, candidate));
      if (isNew) queued += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "conflict") throw error;
    }
  }
  async function turn(as = ctx) {
    const rows = await unended(ctx);
    if (rows.length === 0) return;
    try {
      await runDeployment(as, oneOf(rows).id);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      kills += 1;
    }
  }
  async function crash() {
    for (const [id, one] of served.served) {
      if (one.status === "running" && random() < 0.5)
        served.crash(id, random() < 0.8 ? ["starting", "running"] : ["failed"]);
    }
  }
  async function unreachable() {
    trainer.isReachable = false;
    await turn();
    trainer.isReachable = true;
  }
  async function loseReply() {
    const [row] = (await unended(ctx)).filter(() => random() < 0.5);
    if (!row) return;
    const calls = ["PUT", "GET", "DELETE"].map((method) => `${method} /deployments/${row.id}`);
    for (const call of calls) trainer.lost.add(call);
    await runDeployment(ctx, row.id);
    trainer.lost.clear();
  }
  async function stop() {
    const rows = await unended(ctx);
    if (rows.length > 0) await stopDeployment(ctx, { deploymentId: oneOf(rows).id });
  }
  async function late() {
    const [row] = (await unended(ctx)).filter(({ startedAt }) => startedAt === null);
    if (row) await ctx.db.update(deployments).set({ deadlineAt: 1 }).where(eq(deployments.id, row.id));
  }
  /** The trainer's home folder is gone, and every process with it. */
  const wipe = async () => served.served.clear();
  const steps: readonly (readonly [weight: number, step: () => Promise<unknown>])[] = [
    [30, () => turn()],
    [25, () => turn({ ...ctx, db: killedAfter(Math.floor(random() * 8)) })],
    [10, () => Promise.all([turn(), turn()])],
    [20, deploy],
    [5, crash],
    [4, unreachable],
    [4, loseReply],
    [4, stop],
    [2, late],
    [1, wipe],
  ];
  const bag = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

  while (queued < DEPLOYS) {
    served.isSlowToStop = random() < 0.3;
    await oneOf(bag)();
    expect(await twoOfOneName(ctx)).toEqual([]);
  }
  expect(kills).toBeGreaterThan(DEPLOYS / 4);

  served.isSlowToStop = false;
  await stopOrphans(db());
  for (let n = 0; n < 12; n += 1) await takeTurns(ctx);
  const left = await unended(ctx);
  expect(left.filter(({ status }) => status !== "running")).toEqual([]);
  for (const { id } of left) expect(await answers(id), id).toBe(true);
  const live = [...served.served].filter(([, { status }]) => !["stopped", "failed", "timeout"].includes(status));
  expect(live.map(([id]) => id).sort()).toEqual(left.map(({ id }) => id).sort());
}, 600_000);
