import { setTimeout as sleep } from "node:timers/promises";
import { OutboundError } from "./outbound-error";

const ATTEMPTS = 3;
const MAX_DELAY_MS = 10_000;

/** Returns the seconds of a `Retry-After` header, given in seconds or as a date. */
export function retryAfterSeconds(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/** Full jitter, so that clients that failed together do not retry together. A Retry-After is the minimum. */
function delayMs(failed: OutboundError, attempt: number, baseMs: number): number {
  const jitter = Math.random() * Math.min(MAX_DELAY_MS, baseMs * 2 ** attempt);
  return failed.retryAfter === undefined ? jitter : failed.retryAfter * 1000 + jitter / 4;
}

/** Retries a call after transient failures, as long as its deadline allows. */
export async function withRetries<T>(
  call: () => Promise<T>,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
  baseMs: number,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof OutboundError) || !error.transient || signal.aborted) throw error;
      const wait = delayMs(error, attempt, baseMs);
      if (Date.now() + wait >= deadline) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
}
