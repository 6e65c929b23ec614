/** Shorter bodies are not worth sharing with a thread. */
export const SHARED_BYTES_MIN = 64 * 1024;
/** Total size of the blocks kept for later bodies. */
const SPARE_BYTES_MAX = 32 * 1024 * 1024;

const spare: SharedArrayBuffer[] = [];
let spareBytes = 0;

/** Sizes are powers of two, so that a block fits many later bodies. */
const sizeFor = (bytes: number) => 2 ** Math.ceil(Math.log2(bytes));

function take(bytes: number): SharedArrayBuffer {
  const size = sizeFor(bytes);
  const at = spare.findIndex((block) => block.byteLength === size);
  const [block] = at === -1 ? [] : spare.splice(at, 1);
  if (!block) return new SharedArrayBuffer(size);
  spareBytes -= size;
  return block;
}

function giveBack(block: SharedArrayBuffer) {
  if (spareBytes + block.byteLength > SPARE_BYTES_MAX) return;
  spare.push(block);
  spareBytes += block.byteLength;
}

/**
 * Calls `work` with memory of at least `SHARED_BYTES_MIN` bytes that other threads can read without a copy, and reuses it once
 * `work` has ended. Ordinary buffers would make V8 collect this thread's whole heap for every 64 MiB of them, twice a second
 * with many long histories.
 */
export async function withSharedMemory<Result>(
  bytes: number,
  work: (memory: Uint8Array<SharedArrayBuffer>) => Promise<Result>,
): Promise<Result> {
  const block = take(bytes);
  try {
    return await work(new Uint8Array(block, 0, bytes));
  } finally {
    giveBack(block);
  }
}
