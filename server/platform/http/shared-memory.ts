const SMALLEST_BYTES = 64 * 1024;
/** Blocks that are kept for later, in all. */
const SPARE_BYTES_MAX = 32 * 1024 * 1024;

const spare: SharedArrayBuffer[] = [];
let spareBytes = 0;

/** Sizes are powers of two, so that a block fits many later bodies. */
const sizeFor = (bytes: number) => Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));

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
 * Calls `work` with memory of that many bytes, which other threads can read without a copy, and reuses it when `work` has
 * ended. For long bodies: V8 collects this thread's whole heap whenever 64 MiB of ordinary buffers have been allocated, which
 * long histories did twice a second.
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
