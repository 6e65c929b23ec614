import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { logger } from "../logging/log";
import { operationsBetween } from "./operations";

/** Waits of this length are noticed by people and by health checks. */
const BLOCKED_MS = 1000;
const CHECK_EVERY_MS = 200;
/** Sampled by Node without running JavaScript. */
const SAMPLE_EVERY_MS = 50;
const WINDOW_MS = 60_000;
/** Operations named in a log line: usually few are in progress, and the latest to start is the likeliest cause. */
const NAMED = 10;

/** How late the event loop was in the last one to two minutes. */
export type EventLoopDelay = { p99Ms: number; maxMs: number };

/** One block of the event loop. `cpuMs` is what the process computed meanwhile, all threads together. */
export type Block = { blockedMs: number; cpuMs: number; operations: string[] };

// On globalThis, because the web server starts the watch and Next's routes report it.
const shared = globalThis as { whetstoneEventLoop?: () => EventLoopDelay | null };

/** Returns the delay of this process's event loop, or null where it is not watched or not yet known. */
export const eventLoopDelay = (): EventLoopDelay | null => shared.whetstoneEventLoop?.() ?? null;

const toMs = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e6) - SAMPLE_EVERY_MS);

const delayIn = (samples: IntervalHistogram): EventLoopDelay | null =>
  samples.count === 0 ? null : { p99Ms: toMs(samples.percentile(99)), maxMs: toMs(samples.max) };

/** A block that computed little waited for the processor or for a file. */
function logBlock({ blockedMs, cpuMs, operations }: Block) {
  if (operations.length === 0) {
    const during = "The event loop was blocked while no operation was in progress, as after a start.";
    logger("web").info({ blockedMs, cpuMs }, during);
    return;
  }
  const others = operations.length - NAMED;
  logger("web").warn(
    { blockedMs, cpuMs, operations: operations.slice(0, NAMED), ...(others > 0 && { others }) },
    "The event loop was blocked, and every request waited. These operations were in progress.",
  );
}

/**
 * Measures how late this process's event loop is, for `eventLoopDelay`, and reports each time it was blocked, with the operations
 * that were in progress meanwhile. Returns a function that stops this.
 */
export function watchEventLoop({ blockedMs = BLOCKED_MS, report = logBlock } = {}): () => void {
  const samples = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  samples.enable();
  let before: EventLoopDelay | null = null;
  let windowStart = performance.now();
  shared.whetstoneEventLoop = () => {
    const current = delayIn(samples);
    if (!before || !current) return before ?? current;
    return { p99Ms: Math.max(before.p99Ms, current.p99Ms), maxMs: Math.max(before.maxMs, current.maxMs) };
  };

  let due = windowStart + CHECK_EVERY_MS;
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const lateMs = Math.round(now - due);
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    if (lateMs >= blockedMs) {
      report({ blockedMs: lateMs, cpuMs: Math.round((user + system) / 1000), operations: operationsBetween(due, now) });
    }
    due = now + CHECK_EVERY_MS;
    if (now - windowStart < WINDOW_MS) return;
    windowStart = now;
    before = delayIn(samples);
    samples.reset();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    samples.disable();
    delete shared.whetstoneEventLoop;
  };
}
