import { EventEmitter } from "node:events";

// Next loads this module twice, for pages and for routes.
const kept = globalThis as { whetstoneTrainerNews?: EventEmitter };
kept.whetstoneTrainerNews ??= new EventEmitter().setMaxListeners(0);
const emitter = kept.whetstoneTrainerNews;

/** Wakes those in this process who wait for news of a trainer or a command. Other processes poll. */
export const announce = (id: string) => void emitter.emit(id);

/** Other processes' news are looked for at first after this long, then less and less often: what is slow may take longer. */
const FIRST_LOOK_MS = 10;
const SLOWER = 1.5;

/** Follows the news of a trainer or a command until `stop`. `lookMs`: the longest time between looks at the database. */
export function followNews(id: string, lookMs: number) {
  let isDue = false;
  let resolveWait = () => {};
  let waitMs = FIRST_LOOK_MS;
  const wake = () => {
    isDue = true;
    resolveWait();
  };
  emitter.on(id, wake);
  return {
    wake,
    stop: () => void emitter.off(id, wake),
    /** Resolves once there has been news since the last call, or it is time to look, at the latest after `mostMs`. */
    async next(mostMs = lookMs) {
      if (!isDue) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(waitMs, mostMs));
          resolveWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        waitMs = Math.min(lookMs, waitMs * SLOWER);
      }
      isDue = false;
    },
    /** Looks often again, because more is likely to follow. */
    expectMore() {
      waitMs = FIRST_LOOK_MS;
    },
  };
}
