import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectWhenIdle } from "./collect-when-idle";

const MIB = 1024 * 1024;
const EVERY_MS = 50;
const WAIT = { timeout: 20_000, interval: 5 };

let mib: number;
let stop: () => void;
const collect = vi.fn(() => {
  mib = 150;
});
beforeEach(() => {
  mib = 100;
  collect.mockClear();
  stop = collectWhenIdle({ everyMs: EVERY_MS, collect, memory: () => mib * MIB });
});
afterEach(() => stop());

/** Keeps the event loop busy over several checks. */
async function work() {
  for (const end = performance.now() + 10 * EVERY_MS; performance.now() < end; await sleep(0)) {
    const until = performance.now() + EVERY_MS / 2;
    while (performance.now() < until);
  }
}

test("an idle process that has grown collects once, and again when it has grown further", async () => {
  mib = 400;
  await vi.waitFor(() => expect(collect).toHaveBeenCalledOnce(), WAIT);
  await sleep(10 * EVERY_MS);
  expect(collect).toHaveBeenCalledOnce();
  mib = 300;
  await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(2), WAIT);
});

test("a process that works, or has hardly grown, does not collect", async () => {
  await sleep(10 * EVERY_MS);
  mib = 200;
  await sleep(10 * EVERY_MS);
  expect(collect).not.toHaveBeenCalled();
  const working = work();
  await sleep(2 * EVERY_MS);
  mib = 400;
  await working;
  expect(collect).not.toHaveBeenCalled();
});
