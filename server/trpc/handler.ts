import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { readBody } from "@/server/platform/read-body";
import { contextOfRequest } from "./context";
import { appRouter } from "./root";
import { asTrpcError } from "./trpc";

/** As `/v1`: larger bodies have their own routes. */
const BODY_MAX = 1024 * 1024;
/** The workbench's screens ask for a handful at once. */
const BATCH_MAX = 50;

/** The same request with its body read, so that tRPC cannot be made to read without end. */
async function bounded(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const body = await readBody(request, BODY_MAX);
  return new Request(request.url, { method: "POST", headers: request.headers, body, signal: request.signal });
}

const serve = (request: Request) =>
  fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () =>
      contextOfRequest(request).catch((error: unknown) => {
        throw asTrpcError(error) ?? error;
      }),
    maxBatchSize: BATCH_MAX,
    responseMeta: ({ ctx }) => ({
      headers: { "cache-control": "no-store", ...(ctx ? { "x-request-id": ctx.requestId } : {}) },
    }),
    onError({ error, path, ctx }) {
      if (error.code === "INTERNAL_SERVER_ERROR" || error.code === "SERVICE_UNAVAILABLE") {
        logger("trpc").error(
          { err: loggable(error.cause ?? error), requestId: ctx?.requestId, path },
          "A procedure failed.",
        );
      }
    },
  });

/** Serves the router over HTTP. */
export async function handleTrpc(request: Request): Promise<Response> {
  try {
    return await serve(await bounded(request));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "too_large")
      return new Response(error.message, { status: 413 });
    throw error;
  }
}
