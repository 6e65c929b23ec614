// @ts-check

/** In how many parts the limit is counted. */
const TICKS = 30;

/**
 * Calls `onSilent` once the process has sent no message for this long, as when its event loop is blocked for good. Only time in
 * which this process runs counts: a machine that was suspended, or a stop of both processes, lasts one tick of the clock.
 * Returns a function that ends the watch.
 * @param {import("node:events").EventEmitter} child
 * @param {number} limitMs
 * @param {() => void} onSilent
 */
export function watchBeats(child, limitMs, onSilent) {
  let silentTicks = 0;
  const beat = () => {
    silentTicks = 0;
  };
  const end = () => {
    clearInterval(timer);
    child.off("message", beat);
  };
  const timer = setInterval(() => {
    silentTicks += 1;
    if (silentTicks <= TICKS) return;
    end();
    onSilent();
  }, limitMs / TICKS);
  timer.unref();
  child.on("message", beat);
  return end;
}
