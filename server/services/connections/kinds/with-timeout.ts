import type { Caller } from "./kind";

/** Returns a caller whose calls take at most so long, unless one says otherwise. */
export const withTimeout = ({ request, json, fetch, ...rest }: Caller, timeoutMs: number): Caller => ({
  ...rest,
  request: (call) => request({ timeoutMs, ...call }),
  json: (call, reply) => json({ timeoutMs, ...call }, reply),
  fetch: (input, init, limits) => fetch(input, init, { timeoutMs, ...limits }),
});
