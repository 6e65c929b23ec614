import {
  defaultShouldDehydrateQuery,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";

/** Data from the server's first render is not fetched again immediately. */
const STALE_TIME_MS = 15_000;
const RETRIES = 2;
/**
 * A rate limit clears by itself, so it gets more retries than a failure, but nobody watches a spinner for longer than
 * this.
 */
const RATE_LIMIT_RETRIES = 5;
const RATE_LIMIT_WAIT_MAX_S = 15;
/** Jitter, so that screens with the same Retry-After do not all retry at the same moment. */
const JITTER_MS = 400;

type ErrorData = { httpStatus: number; retryAfter: number | null };

function dataOf(error: unknown): ErrorData {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  const given = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  return {
    httpStatus: typeof given.httpStatus === "number" ? given.httpStatus : 500,
    retryAfter: typeof given.retryAfter === "number" ? given.retryAfter : null,
  };
}

/** Rate-limited before any work started, so the same request can be retried. */
const limitedFor = (error: unknown) => {
  const { httpStatus, retryAfter } = dataOf(error);
  return httpStatus === 429 && retryAfter !== null && retryAfter <= RATE_LIMIT_WAIT_MAX_S ? retryAfter : null;
};

/** Retrying helps if the network or the server failed, not if the request was rejected as invalid. */
function worthRetrying(failures: number, error: unknown) {
  if (limitedFor(error) !== null) return failures < RATE_LIMIT_RETRIES;
  const { httpStatus } = dataOf(error);
  return httpStatus >= 500 && httpStatus !== 501 && failures < RETRIES;
}

function retryDelay(failures: number, error: unknown) {
  const wait = limitedFor(error);
  return wait === null ? Math.min(1000 * 2 ** failures, 8000) : wait * 1000 + Math.random() * JITTER_MS;
}

class RefetchingClient extends QueryClient {
  /**
   * TanStack Query does not start a first load again when its query is invalidated, although that load may have read
   * its data before the change. Here such a query is invalidated once more when its load ends.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ) {
    const loading = new Set(
      this.getQueryCache()
        .findAll(filters)
        .filter(({ state }) => state.data === undefined && state.fetchStatus === "fetching"),
    );
    await super.invalidateQueries(filters, options);
    if (loading.size === 0) return;
    await Promise.allSettled([...loading].map(({ promise }) => promise));
    await super.invalidateQueries({ ...filters, predicate: (query) => loading.has(query) }, options);
  }
}

/** Without `patient` a query is tried once: a page being rendered leaves failures to the browser. */
export const makeQueryClient = ({ patient = true } = {}) =>
  new RefetchingClient({
    defaultOptions: {
      queries: { staleTime: STALE_TIME_MS, retry: patient && worthRetrying, retryDelay },
      // A mutation that failed may have taken effect; a rate-limited one has not.
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
