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
 * Whoever ended npm outright (`kill -9`) meant what it had started: without npm nobody is left who could stop us.
 * @param {() => void} stop
 */
export function onNpmGone(stop) {
  const OFTEN_MS = 500;
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    stop();
  }, OFTEN_MS);
  timer.unref();
}
