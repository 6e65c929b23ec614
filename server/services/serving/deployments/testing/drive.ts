import { setTimeout as wait } from "node:timers/promises";
import { and, eq, isNotNull } from "drizzle-orm";
import { onTestFinished } from "vitest";
import { deployments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { ServingGates } from "../../serving-gates";
import { runDeployment } from "../run-deployment";

const PAUSE_MS = 20;

/** For tests: runs the steps of a project's pending deployments, as the worker would, while `work` runs. */
export async function driving<T>(ctx: Ctx, work: () => Promise<T>, rooms?: ServingGates): Promise<T> {
  let isOver = false;
  const drive = async () => {
    while (!isOver) {
      await takeTurns(ctx, rooms);
      await wait(PAUSE_MS);
    }
  };
  const driver = drive();
  try {
    return await work();
  } finally {
    isOver = true;
    await driver;
  }
}

/** Runs one step of each pending deployment, even if it is not due yet. */
export async function takeTurns(ctx: Ctx, rooms?: ServingGates): Promise<void> {
  const waiting = await ctx.db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.projectId, ctx.projectId), isNotNull(deployments.dueAt)))
    .orderBy(deployments.id);
  for (const { id } of waiting) await runDeployment(ctx, id, rooms);
}

const SETTLED: readonly string[] = ["running", "stopped", "failed", "timeout"];

/** Runs the steps of the project's next deployment in the background, until it has settled or the test is over. */
export async function driveNext(ctx: Ctx): Promise<void> {
  const read = () =>
    ctx.db
      .select({ id: deployments.id, status: deployments.status })
      .from(deployments)
      .where(eq(deployments.projectId, ctx.projectId));
  const known = new Set((await read()).map(({ id }) => id));
  let isOver = false;
  const drive = async () => {
    while (!isOver) {
      await wait(PAUSE_MS);
      const next = (await read()).filter(({ id }) => !known.has(id));
      if (next.length > 0 && next.every(({ status }) => SETTLED.includes(status))) return;
      await takeTurns(ctx);
    }
  };
  const driver = drive();
  onTestFinished(() => {
    isOver = true;
    return driver;
  });
}
