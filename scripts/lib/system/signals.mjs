// @ts-check

const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Calls `stop` on the first stop signal, and again (with the count) when it is repeated.
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

/**
 * Calls `stop` when npm was killed outright (`kill -9`), because nothing is left that could stop us; likewise for a test run
 * (STOP_WITH_PARENT). When started in any other way, we outlive the shell.
 * @param {() => void} stop
 */
export function onParentGone(stop) {
  const OFTEN_MS = 500;
  const { npm_lifecycle_event, STOP_WITH_PARENT } = process.env;
  if (!(npm_lifecycle_event || STOP_WITH_PARENT) || process.platform === "win32") return;
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    stop();
  }, OFTEN_MS);
  timer.unref();
}
