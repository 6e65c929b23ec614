import { EventEmitter } from "node:events";

// Next loads this module twice, for pages and for routes.
const kept = globalThis as { whetstoneTrainerNews?: EventEmitter };
kept.whetstoneTrainerNews ??= new EventEmitter().setMaxListeners(0);
const emitter = kept.whetstoneTrainerNews;

/** Wakes those in this process who wait for news of a trainer or a command. Other processes poll. */
export const announce = (id: string) => void emitter.emit(id);

/** Follows the news of a trainer or a command until `stop`. */
export function followNews(id: string) {
  let isDue = false;
  let resolveWait = () => {};
  const wake = () => {
    isDue = true;
    resolveWait();
  };
  emitter.on(id, wake);
  return {
    wake,
    stop: () => void emitter.off(id, wake),
    /** Resolves once there has been news since the last call, at the latest after `ms`. */
    async next(ms: number) {
      if (!isDue) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resolveWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isDue = false;
    },
  };
}
