import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { ServiceError } from "@/server/platform/errors";
import { type Quota, takeFromBucket } from "./bucket";

/** A limit that a request counts against. */
export type Limit = Quota & {
  /** The policy name in the `RateLimit` headers. */
  name: string;
  /** The bucket's id within its project: what is counted, and for whom. */
  id: string;
  unit: "requests" | "content-bytes";
};

/** How long a process may hold tokens that it has taken. */
const HELD_MS = 2000;
/** The largest share of a bucket that one process may hold: its unspent tokens are missing in the others. */
const SHARE_HELD = 0.05;
const BUCKETS_CACHED = 20_000;

/** The tokens of a bucket that this process holds, and what it knows about the bucket. */
type Held = {
  /** Tokens taken and not yet spent. */
  left: number;
  /** Size of the last batch. */
  size: number;
  /** Tokens in the shared bucket after that batch. */
  level: number;
  /** When that was, by a monotonic clock. */
  at: number;
  /** Tokens that the requests waiting for the next batch will spend. */
  wanted: number;
  taking?: Promise<void> | undefined;
};

/** A limit's state as the response headers report it; `resetSeconds`: until the bucket is full again. */
export type LimitState = { limit: Limit; remaining: number; resetSeconds: number };

const newHeld = (): Held => ({ left: 0, size: 0, level: 0, at: Number.NEGATIVE_INFINITY, wanted: 0 });
const perMs = ({ quota, windowSeconds }: Quota) => quota / windowSeconds / 1000;
/** Returns an upper bound of the tokens available at `now`. */
const available = (held: Held, limit: Limit, now: number) =>
  Math.min(limit.quota, held.level + (now - held.at) * perMs(limit)) + held.left;

/**
 * Creates a rate limiter whose limits hold across all processes without a database query per request. A process takes a
 * batch of tokens from the shared bucket, larger the busier it is, and spends them from memory. An empty bucket is not
 * queried again before enough tokens have refilled, so a flood of refused requests costs the database nothing.
 */
export function createRateLimiter({ take = takeFromBucket, clock = () => performance.now() } = {}) {
  const buckets = new LRUCache<string, Held>({ max: BUCKETS_CACHED });

  function heldOf(projectId: string, { id }: Limit) {
    const key = `${projectId} ${id}`;
    const held = buckets.get(key) ?? newHeld();
    buckets.set(key, held);
    return held;
  }

  async function takeBatch(db: Db, projectId: string, limit: Limit, held: Held, need: number) {
    const now = clock();
    const used = held.size - held.left;
    const busy = now - held.at < HELD_MS;
    const size = Math.min(busy ? used * 2 : used, limit.quota * SHARE_HELD);
    const want = Math.max(held.wanted, need, size);
    const back = held.left;
    held.left = 0;
    const { granted, level } = await take(db, { projectId, id: limit.id }, limit, { need, want, back });
    Object.assign(held, { left: granted, size: granted, level, at: clock() });
  }

  /** Takes the next batch. Concurrent callers share one query. */
  async function refill(db: Db, projectId: string, limit: Limit, held: Held, need: number) {
    held.wanted += need;
    try {
      held.taking ??= takeBatch(db, projectId, limit, held, need).finally(() => {
        held.taking = undefined;
      });
      await held.taking;
    } finally {
      held.wanted -= need;
    }
  }

  const stateOf = (projectId: string, limit: Limit): LimitState => {
    const remaining = Math.max(0, available(heldOf(projectId, limit), limit, clock()));
    return {
      limit,
      remaining: Math.floor(remaining),
      resetSeconds: Math.ceil((limit.quota - remaining) / perMs(limit) / 1000),
    };
  };

  function refuseIfExhausted(projectId: string, limits: readonly Limit[], cost: number, now: number) {
    for (const limit of limits) {
      const held = heldOf(projectId, limit);
      const lacks = Math.min(cost, limit.quota) - available(held, limit, now);
      if (held.at !== Number.NEGATIVE_INFINITY && lacks > 0 && !held.taking) {
        throw new RateLimited(limit, Math.max(1, Math.ceil(lacks / perMs(limit) / 1000)));
      }
    }
  }

  return {
    stateOf,

    /** Throws `rate_limited` when this process already knows a limit to be exhausted. Counts nothing. */
    check: (projectId: string, limits: readonly Limit[], cost: number) =>
      refuseIfExhausted(projectId, limits, cost, clock()),

    /** Counts a request of this size against all of its limits; throws `rate_limited` when one is exhausted. */
    async spend(db: Db, projectId: string, limits: readonly Limit[], cost: number): Promise<void> {
      for (;;) {
        const now = clock();
        refuseIfExhausted(projectId, limits, cost, now);
        const all = limits.map((limit) => ({ limit, held: heldOf(projectId, limit) }));
        const short = all.filter(({ held }) => held.taking || held.left < cost || now - held.at >= HELD_MS);
        if (short.length === 0) {
          for (const { held } of all) held.left -= cost;
          return;
        }
        await Promise.all(short.map(({ limit, held }) => refill(db, projectId, limit, held, cost)));
      }
    },
  };
}
export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Limits requests of the workbench (pages and tRPC) in this process. */
export const workbenchLimiter = createRateLimiter();

class RateLimited extends ServiceError {
  constructor(limit: Limit, retryAfter: number) {
    const what = limit.unit === "requests" ? "many requests" : "much telemetry";
    super("rate_limited", `Too ${what} for the limit "${limit.name}". Try again in ${retryAfter} s.`, {
      retryAfter,
    });
  }
}
