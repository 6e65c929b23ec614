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

/**
 * Whoever ended npm outright (`kill -9`) meant what it had started: without it nobody is left who could stop us. The
 * same for a test's run (STOP_WITH_PARENT). Started in any other way, we outlive the shell that did so.
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
