import type { Logger } from "@/server/platform/log";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** Errors that say nothing about the work: the database (or the server) is away, or asks to be tried again. */
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

/** Waits longer and longer while something is away, and says so once when it goes and once when it is back. */
export function createOutage(what: string, log: Logger) {
  let failures = 0;
  return {
    /** The milliseconds to wait before the next try. */
    failed(error: unknown): number {
      if (failures === 0) log.error({ err: error }, `${what} cannot be reached; trying again until it can.`);
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      failures += 1;
      return wait;
    },
    worked() {
      if (failures > 0) log.info(`${what} is back.`);
      failures = 0;
    },
  };
}

/**
 * Gives up waiting after `ms`, as one does for a server that went away in the middle of an answer: a connection that
 * never says anything again must not hold a run for ever.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(`No answer in ${ms} ms.`), { code: "ETIMEDOUT" })), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Persistence = { outage: ReturnType<typeof createOutage>; timeoutMs: number; givingUp: () => boolean };

/** Does the work until it is done, through any outage. An error that is the work's own is thrown. */
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
