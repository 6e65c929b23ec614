import type { Caller } from "./kind";

/** Returns a caller whose calls time out after `timeoutMs`, unless a call sets its own timeout. */
export const withTimeout = ({ request, json, fetch, ...rest }: Caller, timeoutMs: number): Caller => ({
  ...rest,
  request: (call) => request({ timeoutMs, ...call }),
  json: (call, reply) => json({ timeoutMs, ...call }, reply),
  fetch: (input, init, limits) => fetch(input, init, { timeoutMs, ...limits }),
});
