// @ts-check
// Shifts a process's clock. Preloaded (`NODE_OPTIONS=--import …`), it shifts by CLOCK_SHIFT_MS from the start.

/** Shifts the process's clock by `ms`; returns a function that restores it. @param {number} ms */
export function shiftClock(ms) {
  const right = globalThis.Date;
  const now = () => right.now() + ms;
  globalThis.Date = /** @type {DateConstructor} */ (
    new Proxy(right, {
      construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
      apply: () => new right(now()).toString(),
      get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
    })
  );
  return () => {
    globalThis.Date = right;
  };
}

const { CLOCK_SHIFT_MS } = process.env;
if (CLOCK_SHIFT_MS) shiftClock(Number(CLOCK_SHIFT_MS));
