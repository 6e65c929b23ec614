import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { ServiceError } from "@/server/platform/errors";
import { type Quota, takeFromBucket } from "./bucket";

/** What one request is counted against. */
export type Limit = Quota & {
  /** As the headers name it. */
  name: string;
  /** What is counted and whose: the bucket's id in its project. */
  id: string;
  unit: "requests" | "content-bytes";
};

/** For how long a process may sit on tokens that it took. */
const HELD_MS = 2000;
/** No process holds more of a bucket than this share: what is left over in one is missing in the others. */
const SHARE_HELD = 0.05;
const BUCKETS_REMEMBERED = 20_000;

/** A bucket as this process knows it. */
type Held = {
  /** Taken and not yet spent. */
  left: number;
  /** Of the last handful. */
  size: number;
  /** What the bucket itself had after it. */
  level: number;
  /** When that was, by a clock that never jumps. */
  at: number;
  /** What the requests that wait for the next handful will spend. */
  wanted: number;
  taking?: Promise<void> | undefined;
};

/** What the answer tells of a limit: what is left, and in how many seconds the bucket is full again. */
export type Standing = { limit: Limit; remaining: number; resetSeconds: number };

const newHeld = (): Held => ({ left: 0, size: 0, level: 0, at: Number.NEGATIVE_INFINITY, wanted: 0 });
const perMs = ({ quota, windowSeconds }: Quota) => quota / windowSeconds / 1000;
/** What the bucket has by now at most. */
const flowed = (held: Held, limit: Limit, now: number) =>
  Math.min(limit.quota, held.level + (now - held.at) * perMs(limit)) + held.left;

/**
 * Limits that hold over all processes without a question to the database for each request: a process takes a handful
 * of tokens from the shared bucket, more the busier it is, and spends them from memory. A bucket that was found empty
 * is not asked again before enough has flowed in, so a flood of refused requests costs the database nothing.
 */
export function createRateLimiter({ take = takeFromBucket, clock = () => performance.now() } = {}) {
  const kept = new LRUCache<string, Held>({ max: BUCKETS_REMEMBERED });

  function heldOf(projectId: string, { id }: Limit) {
    const key = `${projectId} ${id}`;
    const held = kept.get(key) ?? newHeld();
    kept.set(key, held);
    return held;
  }

  async function takeHandful(db: Db, projectId: string, limit: Limit, held: Held, need: number) {
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

  /** Shared by all who wait: a burst asks once. */
  async function refill(db: Db, projectId: string, limit: Limit, held: Held, need: number) {
    held.wanted += need;
    try {
      held.taking ??= takeHandful(db, projectId, limit, held, need).finally(() => {
        held.taking = undefined;
      });
      await held.taking;
    } finally {
      held.wanted -= need;
    }
  }

  const standing = (projectId: string, limit: Limit): Standing => {
    const remaining = Math.max(0, flowed(heldOf(projectId, limit), limit, clock()));
    return {
      limit,
      remaining: Math.floor(remaining),
      resetSeconds: Math.ceil((limit.quota - remaining) / perMs(limit) / 1000),
    };
  };

  function refuseWhatIsKnown(projectId: string, limits: readonly Limit[], cost: number, now: number) {
    for (const limit of limits) {
      const held = heldOf(projectId, limit);
      const lacks = Math.min(cost, limit.quota) - flowed(held, limit, now);
      if (held.at !== Number.NEGATIVE_INFINITY && lacks > 0 && !held.taking) {
        throw new RateLimited(limit, Math.max(1, Math.ceil(lacks / perMs(limit) / 1000)));
      }
    }
  }

  return {
    standing,

    /** Refuses what this process knows to be too much by now, and counts nothing. */
    look: (projectId: string, limits: readonly Limit[], cost: number) =>
      refuseWhatIsKnown(projectId, limits, cost, clock()),

    /** Counts a request of this size against all of its limits, or against none of them and refuses. */
    async spend(db: Db, projectId: string, limits: readonly Limit[], cost: number): Promise<void> {
      for (;;) {
        const now = clock();
        refuseWhatIsKnown(projectId, limits, cost, now);
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

/** The workbench's own in this process: its pages and what they ask. */
export const workbenchLimiter = createRateLimiter();

class RateLimited extends ServiceError {
  constructor(limit: Limit, retryAfter: number) {
    const what = limit.unit === "requests" ? "many requests" : "much telemetry";
    super("rate_limited", `Too ${what} for the limit "${limit.name}". Try again in ${retryAfter} s.`, {
      retryAfter,
    });
  }
}
