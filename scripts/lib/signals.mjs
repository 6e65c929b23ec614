// @ts-check

const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Calls `stop` on the first signal to end, and again (with how often) when someone insists.
 * @param {(signal: NodeJS.Signals, times: number) => void} stop
 */
export function onStopSignal(stop) {
  let times = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      times += 1;
      stop(signal, times);
    });
  }
}
