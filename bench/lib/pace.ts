import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "./thirds";

/** What a stream of calls came to: how long each took, by when it was due, and what went wrong, in words. */
export type Paced = { took: (Sample & { nth: number })[]; failed: string[]; latest: number };

/**
 * Calls `work` `perSecond` times a second by a timetable that does not wait for answers (up to `atOnce` are under way), as
 * clients do that know nothing of each other. A call that starts late is timed from when it was due. `until` is performance.now()'s.
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
        // Anywhere in its part of the second: two timetables in step would meet at every call, or never.
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
