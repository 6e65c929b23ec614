import { ServiceError } from "../errors";

/** Whoever waited this long for a place is told to come back: its client has given up, or is about to. */
const LONGEST_WAIT_MS = 10_000;
/** Of one project in one process: more would only fill memory. */
const MOST_WAITING = 1000;
const DATABASE_BUSY = "Earlier requests of this project still keep the database busy. Try again shortly.";

type Waiting = { enter: () => void };
/** Data alone, which several bundles of one process can share. `queues` has the projects in the order of their turns. */
export type Occupancy = { free: number; taken: Map<string, number>; queues: Map<string, Waiting[]> };

/** Returns as many places, none of them taken. */
export const vacant = (size: number): Occupancy => ({ free: size, taken: new Map(), queues: new Map() });

/**
 * A few places that many projects share. A project may have as many as it leaves free: alone it has half of them, a second
 * greedy one half of what is left, so that the next to come still finds one. Those who wait are served in turns, a project
 * at a time.
 */
export function createPlaces(
  of: Occupancy,
  { longestWaitMs = LONGEST_WAIT_MS, mostWaiting = MOST_WAITING, busy = DATABASE_BUSY } = {},
) {
  const { taken, queues } = of;

  const mayEnter = (project: string) => (taken.get(project) ?? 0) < of.free;
  const enter = (project: string) => {
    of.free -= 1;
    taken.set(project, (taken.get(project) ?? 0) + 1);
  };
  const leave = (project: string) => {
    of.free += 1;
    const has = (taken.get(project) ?? 0) - 1;
    if (has > 0) taken.set(project, has);
    else taken.delete(project);
    admit();
  };

  function admit() {
    for (let admitted = true; admitted && of.free > 0; ) {
      admitted = false;
      for (const [project, queue] of [...queues]) {
        if (!mayEnter(project)) continue;
        const next = queue.shift();
        queues.delete(project);
        if (queue.length > 0) queues.set(project, queue); // behind those who have waited for their turn
        if (!next) continue;
        enter(project);
        next.enter();
        admitted = true;
      }
    }
  }

  function wait(project: string): Promise<void> {
    const queue = queues.get(project) ?? [];
    if (queue.length >= mostWaiting) {
      throw new ServiceError("rate_limited", "Too many requests of this project are waiting already.", {
        retryAfter: Math.ceil(longestWaitMs / 1000),
      });
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) queues.delete(project);
        reject(new ServiceError("unavailable", busy, { retryAfter: Math.ceil(longestWaitMs / 1000) }));
      }, longestWaitMs);
      const waiting: Waiting = {
        enter() {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.push(waiting);
      queues.set(project, queue);
    });
  }

  return {
    /** Does the work as soon as the project may have a place for it. */
    async hold<T>(project: string, work: () => PromiseLike<T>): Promise<T> {
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
