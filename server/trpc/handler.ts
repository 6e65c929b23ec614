import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { readBody } from "@/server/platform/read-body";
import { seldom } from "@/server/platform/seldom";
import { type RateLimiter, workbenchLimiter } from "@/server/services/rate-limits";
import { contextOfRequest } from "./context";
import { appRouter } from "./root";
import { asTrpcError } from "./trpc";

/** As `/v1`: larger bodies have their own routes. */
const BODY_MAX = 1024 * 1024;
/** The workbench's screens ask for a handful at once. */
const BATCH_MAX = 50;

/** While the database is away every procedure fails for the same reason. */
const isWorthALine = seldom(5000);

/** The same request with its body read, so that tRPC cannot be made to read without end. */
async function bounded(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const body = await readBody(request, BODY_MAX);
  return new Request(request.url, { method: "POST", headers: request.headers, body, signal: request.signal });
}

/** The longest wait that any call of a batch was told, in seconds. */
const retryAfter = (errors: readonly TRPCError[]) =>
  Math.max(0, ...errors.map(({ cause }) => (cause instanceof ServiceError ? (cause.retryAfter ?? 0) : 0)));

const serve = (request: Request, limiter: RateLimiter) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () =>
      contextOfRequest(request, limiter).catch((error: unknown) => {
        throw asTrpcError(error) ?? error;
      }),
    maxBatchSize: BATCH_MAX,
    // A read whose question is longer than an address may come as a POST.
    allowMethodOverride: true,
    responseMeta: ({ ctx, errors }) => ({
      headers: {
        "cache-control": "no-store",
        ...(ctx ? { "x-request-id": ctx.requestId } : {}),
        ...(retryAfter(errors) > 0 ? { "retry-after": String(retryAfter(errors)) } : {}),
      },
    }),
    onError({ error, path, ctx }) {
      if (error.code === "INTERNAL_SERVER_ERROR" || (error.code === "SERVICE_UNAVAILABLE" && isWorthALine())) {
        logger("trpc").error(
          { err: loggable(error.cause ?? error), requestId: ctx?.requestId, path },
          "A procedure failed.",
        );
      }
    },
  });

/** Serves the router over HTTP. */
export const createTrpcHandler =
  (limiter: RateLimiter) =>
  async (request: Request): Promise<Response> => {
    try {
      return await serve(await bounded(request), limiter);
    } catch (error) {
      if (error instanceof ServiceError && error.code === "too_large")
        return new Response(error.message, { status: 413 });
      throw error;
    }
  };

export const handleTrpc = createTrpcHandler(workbenchLimiter);
