import type { Db } from "@/db/client";
import type { Ctx } from "@/server/platform/context";
import { type Limit, limitHeaders, type RateLimiter } from "@/server/services/rate-limits";
import { isProjectQualified } from "../operation";
import { ctxOfKey, ctxOfProject } from "./authenticate";
import type { Asked } from "./problem";

/** One request on its way through: `told` are headers that its answer carries, whatever the answer is. */
export type Visit = {
  database: Db;
  limiter: RateLimiter;
  request: Request;
  asked: Asked;
  told: Record<string, string>;
  params: Record<string, string>;
};

/** Returns who asks: where the path names the project, a key of it or a member; else the key says which project. */
export function callerOf({ database, request, asked, params }: Visit, path: string, effect: "read" | "write") {
  return isProjectQualified(path)
    ? ctxOfProject(database, request, params.projectId as string, effect, asked.requestId)
    : ctxOfKey(database, request, asked.requestId);
}

/** Whether or not it passes, the answer tells how the limits stand. */
async function limited({ limiter, told }: Visit, { projectId }: Ctx, limits: readonly Limit[], check: () => unknown) {
  try {
    await check();
  } finally {
    Object.assign(told, limitHeaders(limits.map((limit) => limiter.stateOf(projectId, limit))));
  }
}

/** Counts what a request costs, or refuses it. */
export const spend = (visit: Visit, ctx: Ctx, limits: readonly Limit[], cost: number) =>
  limited(visit, ctx, limits, () => visit.limiter.spend(ctx.db, ctx.projectId, limits, cost));

/** Refuses whoever is over the limit already, and counts nothing. */
export const look = (visit: Visit, ctx: Ctx, limits: readonly Limit[], cost: number) =>
  limited(visit, ctx, limits, () => visit.limiter.check(ctx.projectId, limits, cost));
