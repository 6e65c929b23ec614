import type { Db } from "@/db/client";
import type { Ctx } from "@/server/platform/context";
import { type Limit, limitHeaders, type RateLimiter } from "@/server/services/rate-limits";
import { isProjectQualified } from "../operation";
import { ctxOfKey, ctxOfProject } from "./authenticate";
import type { ProblemContext } from "./problem";

/** One request being served. `responseHeaders` go on the response, success or error. */
export type RequestContext = {
  database: Db;
  limiter: RateLimiter;
  request: Request;
  problemContext: ProblemContext;
  responseHeaders: Record<string, string>;
  params: Record<string, string>;
};

/** Authenticates the caller: by key or session where the path names the project, else by the key, which names it. */
export function callerOf(
  { database, request, problemContext, params }: RequestContext,
  path: string,
  effect: "read" | "write",
) {
  return isProjectQualified(path)
    ? ctxOfProject(database, request, params.projectId as string, effect, problemContext.requestId)
    : ctxOfKey(database, request, problemContext.requestId);
}

/** Adds the state of the limits to the response, whether or not the check passes. */
async function limited(
  { limiter, responseHeaders }: RequestContext,
  { projectId }: Ctx,
  limits: readonly Limit[],
  check: () => unknown,
) {
  try {
    await check();
  } finally {
    Object.assign(responseHeaders, limitHeaders(limits.map((limit) => limiter.stateOf(projectId, limit))));
  }
}

/** Spends a request's cost, or throws `rate_limited`. */
export const spend = (context: RequestContext, ctx: Ctx, limits: readonly Limit[], cost: number) =>
  limited(context, ctx, limits, () => context.limiter.spend(ctx.db, ctx.projectId, limits, cost));

/** Refuses callers that are already over the limit, without counting anything. */
export const look = (context: RequestContext, ctx: Ctx, limits: readonly Limit[], cost: number) =>
  limited(context, ctx, limits, () => context.limiter.check(ctx.projectId, limits, cost));
