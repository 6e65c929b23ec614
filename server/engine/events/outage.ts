import type { Logger } from "@/server/platform/logging/log";

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5000;

/** Errors unrelated to the work itself: the database or server is unreachable, or asks for a retry. */
const TRANSIENT = [
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/,
  /^CONNECT(ION_|_TIMEOUT)/,
  /^(08|53|57P|40001|40P01|25P03|55P03)/, // Postgres: connection, resources, shutdown, serialization, deadlock, time-outs
];

export function isTransient(error: unknown): boolean {
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    const { code } = inner as { code?: unknown };
    if (typeof code === "string" && TRANSIENT.some((pattern) => pattern.test(code))) return true;
  }
  return false;
}

/** Tracks an outage: backs off exponentially, and logs once when it starts and once when it ends. */
export function createOutage(what: string, log: Logger) {
  let failures = 0;
  return {
    /** Returns the milliseconds to wait before the next attempt. */
    failed(error: unknown): number {
      if (failures === 0) log.error({ err: error }, `${what} cannot be reached; retrying until it can.`);
      const wait = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** failures);
      failures += 1;
      return wait;
    },
    worked() {
      if (failures > 0) log.info(`${what} is back.`);
      failures = 0;
    },
  };
}

/** Rejects with ETIMEDOUT after `ms`: a dead connection must not hold a run forever. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error(`No response within ${ms} ms.`), { code: "ETIMEDOUT" })),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Persistence = { outage: ReturnType<typeof createOutage>; timeoutMs: number; givingUp: () => boolean };

/** Retries the work through outages until it succeeds. Throws errors of the work itself. */
export async function retryThroughOutage<T>(
  work: () => Promise<T>,
  { outage, timeoutMs, givingUp }: Persistence,
): Promise<T> {
  for (;;) {
    try {
      const result = await withTimeout(timeoutMs, work());
      outage.worked();
      return result;
    } catch (error) {
      if (givingUp() || !isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, outage.failed(error)));
    }
  }
}
