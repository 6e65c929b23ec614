import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { logger } from "@/server/platform/log";
import { contextOfRequest } from "./context";
import { appRouter } from "./root";

/** As `/v1`: larger bodies have their own routes. */
const BODY_MAX = 1024 * 1024;
const BATCH_MAX = 50;

/** Serves the router over HTTP. */
export async function handleTrpc(request: Request): Promise<Response> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > BODY_MAX) return new Response("The request is larger than 1 MiB.", { status: 413 });
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => contextOfRequest(request),
    maxBatchSize: BATCH_MAX,
    responseMeta: ({ ctx }) => ({
      headers: { "cache-control": "no-store", ...(ctx ? { "x-request-id": ctx.requestId } : {}) },
    }),
    onError({ error, path, ctx }) {
      if (error.code === "INTERNAL_SERVER_ERROR") {
        logger("trpc").error({ err: error.cause ?? error, requestId: ctx?.requestId, path }, "A procedure failed.");
      }
    },
  });
}
