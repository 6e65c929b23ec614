import { setTimeout as wait } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { giveUp, stopLate } from "./change-deployment";
import { findDeployment } from "./read-deployments";

/** Polling interval; short, because a user may be waiting. */
const LOOK_MS = 300;

/**
 * Waits until a deployment is running or has ended. Its background job does the work, whether or not anybody waits; if no
 * worker is running, its time limit ends it here.
 */
export async function waitForDeployment(ctx: Ctx, id: string): Promise<void> {
  for (;;) {
    const row = await findDeployment(ctx, id);
    if (!row || row.endedAt !== null || row.status === "running") return;
    if (row.startedAt === null) {
      await stopLate(ctx, row);
      await giveUp(ctx, id);
    }
    await wait(LOOK_MS);
  }
}
