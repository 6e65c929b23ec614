import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "./thirds";

/** The results of a stream of calls: durations by due time, and failures in words. */
export type Paced = { took: (Sample & { nth: number })[]; failed: string[]; latest: number };

/**
 * Calls `work` `perSecond` times a second on a fixed schedule that does not wait for responses (up to `atOnce` in progress),
 * like independent clients. A late call is timed from when it was due. `until` is on the clock of performance.now().
 */
export async function atPace(
  { perSecond, atOnce, until }: { perSecond: number; atOnce: number; until: number },
  work: (nth: number) => Promise<unknown>,
): Promise<Paced> {
  const begun = performance.now();
  const paced: Paced = { took: [], failed: [], latest: 0 };
  if (perSecond <= 0) return paced;
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (;;) {
        const nth = next++;
        // Jittered within its interval: two schedules in step would collide at every call, or never.
        const due = begun + ((nth + Math.random()) * 1000) / perSecond;
        if (begun + (nth * 1000) / perSecond >= until) return;
        const early = due - performance.now();
        if (early > 0) await sleep(early);
        else paced.latest = Math.max(paced.latest, -early);
        try {
          await work(nth);
          paced.took.push({ nth, at: due, value: performance.now() - due });
        } catch (error) {
          paced.failed.push(error instanceof Error ? error.message : String(error));
        }
      }
    }),
  );
  return paced;
}
