type Operation = { name: string; startedAt: number };
type Ended = Operation & { endedAt: number };

/** A shorter operation cannot have blocked the event loop for so long that anybody looks for it. */
const REMEMBERED_MS = 100;
const REMEMBERED = 100;

// On globalThis, because the web server and Next's pages and routes are different bundles of one process.
const shared = globalThis as { whetstoneOperations?: { running: Set<Operation>; ended: Ended[] } };
shared.whetstoneOperations ??= { running: new Set(), ended: [] };
const { running, ended } = shared.whetstoneOperations;

/** Records that an operation is in progress, such as a request or a verb. Call the returned function when it has ended. */
export function beginOperation(name: string): () => void {
  const operation = { name, startedAt: performance.now() };
  running.add(operation);
  return () => {
    if (!running.delete(operation)) return;
    const endedAt = performance.now();
    if (endedAt - operation.startedAt < REMEMBERED_MS) return;
    ended.push({ ...operation, endedAt });
    if (ended.length > REMEMBERED) ended.shift();
  };
}

/** Returns the names of the operations that were in progress between these monotonic times, the latest to start first. */
export function operationsBetween(start: number, end: number): string[] {
  return [...ended, ...[...running].map((operation) => ({ ...operation, endedAt: end }))]
    .filter(({ startedAt, endedAt }) => Math.min(endedAt, end) - Math.max(startedAt, start) >= REMEMBERED_MS)
    .sort((one, other) => other.startedAt - one.startedAt)
    .map(({ name }) => name);
}
