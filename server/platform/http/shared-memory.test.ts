import { expect, test } from "vitest";
import { withSharedMemory } from "./shared-memory";

const MIB = 1024 * 1024;

test("memory is reused by the next body of about its size, and never by two at the same time", async () => {
  const first = await withSharedMemory(700_000, async (memory) => memory.buffer);
  await withSharedMemory(900_000, async (one) => {
    await withSharedMemory(900_000, async (other) => {
      expect(one.buffer).toBe(first);
      expect(other.buffer).not.toBe(first);
      expect([one.length, other.length]).toEqual([900_000, 900_000]);
    });
  });
});

test("memory is reused after work that fails", async () => {
  let failed: SharedArrayBuffer | undefined;
  const failing = withSharedMemory(3 * MIB, async (memory) => {
    failed = memory.buffer;
    throw new Error("a fault");
  });
  await expect(failing).rejects.toThrow("a fault");
  expect(await withSharedMemory(3 * MIB, async (memory) => memory.buffer)).toBe(failed);
});

test("at most 32 MiB is kept for later", async () => {
  const blocks = new Set<SharedArrayBuffer>();
  const nested = async (left: number): Promise<void> =>
    withSharedMemory(16 * MIB, async (memory) => {
      blocks.add(memory.buffer);
      if (left > 1) await nested(left - 1);
    });
  await nested(4);
  const before = new Set(blocks);
  await nested(4);
  expect([...blocks].filter((block) => !before.has(block)).length).toBeGreaterThanOrEqual(2);
});
