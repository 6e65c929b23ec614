import { LRUCache } from "lru-cache";
import type { Ctx } from "../context";
import { SECOND_MS } from "../durations";

/** A change takes effect within five seconds in every process, and calls need no query of their own. */
const TTL_MS = 4 * SECOND_MS;
/** Older rows are still used, while they are read again. */
const FRESH_MS = 2 * SECOND_MS;
const PROJECTS_MAX = 10_000;

type Read<Rows> = { readAt: number; rows: Promise<Rows> };

/** Returns a reader of a project's rows that are at most a few seconds old, for calls that must not wait for a query. */
export function readAhead<Rows>(read: (ctx: Ctx) => Promise<Rows>): (ctx: Ctx) => Promise<Rows> {
  const cache = new LRUCache<string, Read<Rows>>({ max: PROJECTS_MAX, ttl: TTL_MS });
  return (ctx) => {
    const cached = cache.get(ctx.projectId);
    if (!cached) {
      const rows = read(ctx);
      cache.set(ctx.projectId, { readAt: Date.now(), rows });
      rows.catch(() => cache.delete(ctx.projectId));
      return rows;
    }
    if (Date.now() - cached.readAt > FRESH_MS) {
      cached.readAt = Date.now();
      const rows = read(ctx);
      rows.then(
        () => cache.set(ctx.projectId, { readAt: Date.now(), rows }),
        () => {},
      );
    }
    return cached.rows;
  };
}
