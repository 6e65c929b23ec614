import { performance } from "node:perf_hooks";
import { SECOND_MS } from "../durations";

const CHECK_EVERY_MS = 10 * SECOND_MS;
/** The part of a check's time in which the event loop worked, above which the process is in use. */
const IDLE_BELOW = 0.02;
/** Less is not worth the pause of some 0.3 s. */
const GROWN_BYTES = 128 * 1024 * 1024;

/** Collects all garbage and returns what is free to the system, as V8 does when it is out of memory. */
const collectAll = () => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });

/**
 * Returns memory to the system once a process that has grown is idle. V8 collects while a program allocates, and lets the heap
 * grow first: what many requests left behind would stay until the next ones come. Does nothing in a process without
 * `--expose-gc`. Returns a function that stops this.
 */
export function collectWhenIdle({
  everyMs = CHECK_EVERY_MS,
  collect = collectAll,
  memory = () => process.memoryUsage.rss(),
  utilization = utilizationOfLoop(),
} = {}): () => void {
  let lowest = memory();
  const timer = setInterval(() => {
    lowest = Math.min(lowest, memory());
    if (utilization() > IDLE_BELOW || memory() < lowest + GROWN_BYTES) return;
    collect();
    // What is left is in use, or cannot be returned: to collect again before more has come would bring nothing.
    lowest = memory();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns a function that returns the part of the time since its last call in which the event loop worked, from 0 to 1. */
function utilizationOfLoop(): () => number {
  let since = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    return utilization;
  };
}
