import { failureOf } from "./failure";
import { OutboundError } from "./outbound-error";

export type CallScope = ReturnType<typeof callScope>;

/** What one call has from its beginning to its end: a deadline, its caller's signal, and words for what goes wrong. */
export function callScope(host: string, timeoutMs: number, given: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort(given?.reason);
  const late = () => controller.abort(new OutboundError("timeout", `${host} did not reply in time.`));
  const timer = setTimeout(late, timeoutMs);
  if (given?.aborted) stop();
  else given?.addEventListener("abort", stop, { once: true });
  return {
    signal,
    deadline: Date.now() + timeoutMs,
    /** Returns what the caller hears of a failure: of one that the deadline or they themselves brought about, that. */
    failed: (error: unknown): Error => (signal.aborted ? signal.reason : failureOf(error, host)) as Error,
    end() {
      clearTimeout(timer);
      given?.removeEventListener("abort", stop);
    },
  };
}
