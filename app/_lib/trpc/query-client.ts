import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";

/** Data from the server's first paint is not asked for again at once. */
const FRESH_MS = 15_000;
const RETRIES = 2;
/** A limit passes by itself: more patience than for a failure, but nobody looks at a spinner for longer than this. */
const LIMITED_RETRIES = 5;
const LIMITED_WAIT_MAX_S = 15;
/** Screens that were told the same wait do not all come back in the same moment. */
const SPREAD_MS = 400;

type ErrorData = { httpStatus: number; retryAfter: number | null };

function dataOf(error: unknown): ErrorData {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const given = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  return {
    httpStatus: typeof given.httpStatus === "number" ? given.httpStatus : 500,
    retryAfter: typeof given.retryAfter === "number" ? given.retryAfter : null,
  };
}

/** Refused for its number, before anything was begun: the same request passes later. */
const limitedFor = (error: unknown) => {
  const { httpStatus, retryAfter } = dataOf(error);
  return httpStatus === 429 && retryAfter !== null && retryAfter <= LIMITED_WAIT_MAX_S ? retryAfter : null;
};

/** Asking again helps when the network or the server failed, not when it answered that the request is wrong. */
function worthRetrying(failures: number, error: unknown) {
  if (limitedFor(error) !== null) return failures < LIMITED_RETRIES;
  const { httpStatus } = dataOf(error);
  return httpStatus >= 500 && httpStatus !== 501 && failures < RETRIES;
}

function retryDelay(failures: number, error: unknown) {
  const wait = limitedFor(error);
  return wait === null ? Math.min(1000 * 2 ** failures, 8000) : wait * 1000 + Math.random() * SPREAD_MS;
}

/** One that is not `patient` asks once: a page that is being rendered leaves what failed to the browser. */
export const makeQueryClient = ({ patient = true } = {}) =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: patient && worthRetrying, retryDelay },
      // A change that failed may have happened; one that was refused for the limit has not.
      mutations: {
        retry: (failures, error) => limitedFor(error) !== null && worthRetrying(failures, error),
        retryDelay,
      },
      dehydrate: {
        // A query that is still running streams to the page when it ends.
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
      },
    },
  });
