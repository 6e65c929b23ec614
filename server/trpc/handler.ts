import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { type ErrorCode, ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { readBody } from "@/server/platform/read-body";
import { throttle } from "@/server/platform/throttle";
import { type RateLimiter, workbenchLimiter } from "@/server/services/rate-limits";
import { contextOfRequest, type TrpcContext } from "./context";
import { appRouter } from "./root";
import { asTrpcError } from "./trpc";

/** As `/v1`: larger bodies have their own routes. */
const BODY_MAX = 1024 * 1024;
/** Whoever has not signed in sends a name, a password or a link's token; no batch of theirs is larger than this. */
const ANONYMOUS_BODY_MAX = 16 * 1024;
/** The workbench's screens ask for a handful at once. */
const BATCH_MAX = 50;

const IS_JSON = /^application\/json\s*(?:;|$)/i;

/** While the database is away every procedure fails for the same reason. */
const mayLog = throttle(5000);

/**
 * Returns the same request with its body read, so that tRPC cannot be made to read without end. Forms and bytes, which
 * tRPC would take too, have no procedure here.
 */
async function bounded(request: Request, max: number): Promise<Request> {
  if (request.method !== "POST") return request;
  if (!IS_JSON.test(request.headers.get("content-type") ?? "")) {
    throw new ServiceError("unsupported_media_type", "Send the body as application/json.");
  }
  const body = await readBody(request, max);
  return new Request(request.url, { method: "POST", headers: request.headers, body, signal: request.signal });
}

/** The longest wait that any call of a batch was told, in seconds. */
const retryAfter = (errors: readonly TRPCError[]) =>
  Math.max(0, ...errors.map(({ cause }) => (cause instanceof ServiceError ? (cause.retryAfter ?? 0) : 0)));

const serve = (request: Request, createContext: () => Promise<TrpcContext>) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext,
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
      if (error.code === "INTERNAL_SERVER_ERROR" || (error.code === "SERVICE_UNAVAILABLE" && mayLog())) {
        logger("trpc").error(
          { err: loggable(error.cause ?? error), requestId: ctx?.requestId, path },
          "A procedure failed.",
        );
      }
    },
  });

/** What can be wrong with a body that no procedure has seen yet. */
const REFUSED: Partial<Record<ErrorCode, number>> = { invalid: 400, too_large: 413, unsupported_media_type: 415 };

/** Serves the router over HTTP. Who asks is known before any of the body is read, and its size before it is parsed. */
export const createTrpcHandler =
  (limiter: RateLimiter) =>
  async (request: Request): Promise<Response> => {
    const context = contextOfRequest(request, limiter).catch((error: unknown) => {
      throw asTrpcError(error) ?? error;
    });
    const session = await context.then(
      (known) => known.session,
      () => null,
    );
    try {
      const read = await bounded(request, session ? BODY_MAX : ANONYMOUS_BODY_MAX);
      return await serve(read, () => context);
    } catch (error) {
      const status = error instanceof ServiceError && REFUSED[error.code];
      if (!status) throw error;
      return new Response((error as ServiceError).message, { status, headers: { "cache-control": "no-store" } });
    }
  };

export const handleTrpc = createTrpcHandler(workbenchLimiter);
