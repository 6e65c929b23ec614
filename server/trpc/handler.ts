import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { type ErrorCode, ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/http/read-body";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { throttle } from "@/server/platform/throttle";
import { type RateLimiter, workbenchLimiter } from "@/server/services/rate-limits";
import { contextOfRequest, type TrpcContext } from "./context";
import { appRouter } from "./root";
import { asTrpcError } from "./trpc";

/** Bytes, as for `/v1`: larger bodies have streaming routes. */
const BODY_MAX = 1024 * 1024;
/** Bytes. Anonymous callers only send a name, a password or a link's token. */
const ANONYMOUS_BODY_MAX = 16 * 1024;
/** Calls. The workbench's screens batch a handful. */
const BATCH_MAX = 50;

const IS_JSON = /^application\/json\s*(?:;|$)/i;

/** While the database is unavailable, every procedure fails for the same reason. */
const mayLog = throttle(5000);

/**
 * Returns the same request with its body read up to `max` bytes, because tRPC itself has no limit. Form data and bytes, which
 * tRPC accepts too, are rejected: no procedure takes them.
 */
async function bounded(request: Request, max: number): Promise<Request> {
  if (request.method !== "POST") return request;
  if (!IS_JSON.test(request.headers.get("content-type") ?? "")) {
    throw new ServiceError("unsupported_media_type", "Send the body as application/json.");
  }
  const body = await readBody(request, max);
  return new Request(request.url, { method: "POST", headers: request.headers, body, signal: request.signal });
}

/** Returns the longest Retry-After of a batch's calls, in seconds. */
const retryAfter = (errors: readonly TRPCError[]) =>
  Math.max(0, ...errors.map(({ cause }) => (cause instanceof ServiceError ? (cause.retryAfter ?? 0) : 0)));

const serve = (request: Request, createContext: () => Promise<TrpcContext>) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext,
    maxBatchSize: BATCH_MAX,
    // A query whose input is too long for a URL may be sent as a POST.
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

/** Errors of a body that no procedure has seen yet. */
const REFUSED: Partial<Record<ErrorCode, number>> = { invalid: 400, too_large: 413, unsupported_media_type: 415 };

/** Returns a handler that serves the router over HTTP. It authenticates before it reads the body, and bounds the body before it parses it. */
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
