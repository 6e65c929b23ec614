import { SECOND_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import type { Io } from "@/server/platform/stream-verb";
import { waiting } from "../upstream/call-connection";

/** The time limits of a call with all its attempts. */
export type Limits = {
  /** Aborts when the client leaves or no longer waits, or when the time of the alias is over. */
  signal: AbortSignal;
  /** Called once the client gets its first byte. */
  arrived: () => void;
  /** Called once the call has ended. */
  end: () => void;
};

/** Starts a time limit. `signal` aborts with `message` unless `end` is called before. */
export function startLimit(seconds: number | null, message: string) {
  const controller = new AbortController();
  const late = () => controller.abort(new ServiceError("timed_out", message));
  const timer = seconds === null ? undefined : setTimeout(late, seconds * SECOND_MS);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Starts the limits of a call: the alias's own, and what the client says. */
export function startLimits(totalSeconds: number | null, given: AbortSignal, headers: Io["headers"]): Limits {
  const { signal: waited, arrived } = waiting(given, headers);
  const { signal, end } = startLimit(totalSeconds, `The alias’s time limit of ${totalSeconds} s is over.`);
  return { signal: AbortSignal.any([waited, signal]), arrived, end };
}
