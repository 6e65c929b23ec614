import { expect, test } from "vitest";
import { forEach } from "./for-each";

test("a request that fails does not stop the others, and at most 20 run at a time", async () => {
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 50 }, (_, n) => n);
  const done = await forEach(items, async (n) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    if (n === 7) throw new Error("refused");
    return n;
  });
  expect(done).toEqual(items.filter((n) => n !== 7));
  expect(most).toBe(20);
});

test("if all fail, the first error is thrown", async () => {
  await expect(forEach([1, 2], async (n) => Promise.reject(new Error(`refused ${n}`)))).rejects.toThrow("refused 1");
});
