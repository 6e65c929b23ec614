import { writeSync } from "node:fs";

type Operation = { name: string; startedAt: number };
type Ended = Operation & { endedAt: number };

/** A shorter operation cannot have blocked the event loop for so long that anybody looks for it. */
const REMEMBERED_MS = 100;
const REMEMBERED = 100;

/** A file in which each operation in progress has a line of this length, as long as there are lines. */
const LINES = 64;
const LINE_BYTES = 256;
type File = { fd: number; freeLines: number[] };

// On globalThis, because the web server and Next's pages and routes are different bundles of one process.
const shared = globalThis as { whetstoneOperations?: { running: Set<Operation>; ended: Ended[]; file?: File } };
shared.whetstoneOperations ??= { running: new Set(), ended: [] };
const state = shared.whetstoneOperations;
const { running, ended } = state;

/** Writes the operations in progress to this open file from now on, where the supervisor reads them after a crash. */
export function writeOperationsTo(fd: number) {
  state.file = { fd, freeLines: Array.from({ length: LINES }, (_, line) => LINES - 1 - line) };
}

const FREE_LINE = Buffer.from(`${" ".repeat(LINE_BYTES - 1)}\n`);

function writeLine({ fd }: File, line: number, bytes: Buffer) {
  try {
    writeSync(fd, bytes, 0, LINE_BYTES, line * LINE_BYTES);
  } catch {
    delete state.file; // no memory left for it; requests matter more
  }
}

/** Writes a line for the operation, and returns how to free it. */
function occupyLine({ name }: Operation): () => void {
  const { file } = state;
  const line = file?.freeLines.pop();
  if (!file || line === undefined) return () => {};
  const bytes = Buffer.from(FREE_LINE);
  bytes.write(`${Date.now()} ${name}`, 0, LINE_BYTES - 1);
  writeLine(file, line, bytes);
  return () => {
    writeLine(file, line, FREE_LINE);
    file.freeLines.push(line);
  };
}

/** Records that an operation is in progress, such as a request or a verb. Call the returned function when it has ended. */
export function beginOperation(name: string): () => void {
  const operation = { name, startedAt: performance.now() };
  running.add(operation);
  const freeLine = occupyLine(operation);
  return () => {
    if (!running.delete(operation)) return;
    freeLine();
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
