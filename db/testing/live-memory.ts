import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Frees what nothing refers to any more, at once. */
export const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Returns how many bytes `measure` has grown by since this was called, without garbage: when that is collected depends on what
 * else the process does. Collects only from `worthwhile` bytes on.
 */
export function growthOf(measure: () => number, worthwhile: number) {
  collectGarbage();
  const before = measure();
  return () => {
    if (measure() - before > worthwhile) collectGarbage();
    return measure() - before;
  };
}
