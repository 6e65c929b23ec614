import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import superjson from "superjson";

/** Data from the server's first paint is not asked for again at once. */
const FRESH_MS = 15_000;
const RETRIES = 2;

/** Asking again helps when the network or the server failed, not when it answered that the request is wrong. */
const worthRetrying = (error: unknown) => {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const status = typeof data === "object" && data !== null && "httpStatus" in data ? Number(data.httpStatus) : 500;
  return status >= 500 && status !== 501;
};

export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && worthRetrying(error),
        retryDelay: (failures) => Math.min(1000 * 2 ** failures, 8000),
      },
      mutations: { retry: false },
      dehydrate: {
        serializeData: superjson.serialize,
        // A query that is still running streams to the page when it ends.
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
      },
      hydrate: { deserializeData: superjson.deserialize },
    },
  });
