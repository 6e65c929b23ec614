import { failureOf } from "./failure";
import { OutboundError } from "./outbound-error";

export type CallScope = ReturnType<typeof callScope>;

/** Returns the scope of one call: its deadline, the caller's signal and the mapping of its failures. */
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
    /** Returns the error for the caller: the abort reason if the deadline or the caller aborted, else the mapped failure. */
    failed: (error: unknown): Error => (signal.aborted ? signal.reason : failureOf(error, host)) as Error,
    end() {
      clearTimeout(timer);
      given?.removeEventListener("abort", stop);
    },
  };
}
