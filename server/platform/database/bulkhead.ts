import { ServiceError } from "../errors";

/** Queued callers are refused after this: their clients have given up, or are about to. */
const MAX_WAIT_MS = 10_000;
/** Per project and process: more would only fill memory. */
const MAX_QUEUED = 1000;
const DATABASE_BUSY = "Earlier requests from this project are still keeping the database busy. Try again shortly.";

type Waiter = { enter: () => void };
/** Plain data, so that several bundles of one process can share it. `queues` holds the projects in round-robin order. */
export type BulkheadState = { free: number; inUse: Map<string, number>; queues: Map<string, Waiter[]> };

/** Returns the state of a bulkhead with `size` free slots. */
export const emptyBulkhead = (size: number): BulkheadState => ({ free: size, inUse: new Map(), queues: new Map() });

/**
 * Creates a bulkhead: slots that many projects share. A project may hold as many slots as remain free, so alone it gets
 * half of them, a second busy one half of the rest, and the next project still finds one. Waiting projects are admitted
 * round-robin.
 */
export function createBulkhead(
  state: BulkheadState,
  { maxWaitMs = MAX_WAIT_MS, maxQueued = MAX_QUEUED, busy = DATABASE_BUSY } = {},
) {
  const { inUse, queues } = state;

  const mayEnter = (project: string) => (inUse.get(project) ?? 0) < state.free;
  const enter = (project: string) => {
    state.free -= 1;
    inUse.set(project, (inUse.get(project) ?? 0) + 1);
  };
  const leave = (project: string) => {
    state.free += 1;
    const remaining = (inUse.get(project) ?? 0) - 1;
    if (remaining > 0) inUse.set(project, remaining);
    else inUse.delete(project);
    admit();
  };

  function admit() {
    for (let admitted = true; admitted && state.free > 0; ) {
      admitted = false;
      for (const [project, queue] of [...queues]) {
        if (!mayEnter(project)) continue;
        const next = queue.shift();
        queues.delete(project);
        if (queue.length > 0) queues.set(project, queue); // at the back
        if (!next) continue;
        enter(project);
        next.enter();
        admitted = true;
      }
    }
  }

  function wait(project: string): Promise<void> {
    const queue = queues.get(project) ?? [];
    if (queue.length >= maxQueued) {
      throw new ServiceError("rate_limited", "Too many requests from this project are already queued.", {
        retryAfter: Math.ceil(maxWaitMs / 1000),
      });
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0) queues.delete(project);
        reject(new ServiceError("unavailable", busy, { retryAfter: Math.ceil(maxWaitMs / 1000) }));
      }, maxWaitMs);
      const waiter: Waiter = {
        enter() {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.push(waiter);
      queues.set(project, queue);
    });
  }

  return {
    /** Runs the work once the project gets a slot; throws `unavailable` after `maxWaitMs`, `rate_limited` when the queue is full. */
    async run<T>(project: string, work: () => PromiseLike<T>): Promise<T> {
      if (mayEnter(project) && !queues.has(project)) enter(project);
      else await wait(project);
      try {
        return await work();
      } finally {
        leave(project);
      }
    },
  };
}
