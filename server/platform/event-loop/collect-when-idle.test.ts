import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectWhenIdle } from "./collect-when-idle";

const MIB = 1024 * 1024;
const EVERY_MS = 10_000;

let mib: number;
let utilization: number;
let stop: () => void;
const collect = vi.fn(() => {
  mib = 150;
});
beforeEach(() => {
  vi.useFakeTimers();
  mib = 100;
  utilization = 0.001;
  collect.mockClear();
  stop = collectWhenIdle({ everyMs: EVERY_MS, collect, memory: () => mib * MIB, utilization: () => utilization });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("an idle process that has grown collects once, and again when it has grown further", () => {
  mib = 400;
  vi.advanceTimersByTime(EVERY_MS);
  expect(collect).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10 * EVERY_MS);
  expect(collect).toHaveBeenCalledOnce();
  mib = 300;
  vi.advanceTimersByTime(EVERY_MS);
  expect(collect).toHaveBeenCalledTimes(2);
});

test("a process that works, or has hardly grown, does not collect", () => {
  mib = 200;
  vi.advanceTimersByTime(10 * EVERY_MS);
  [mib, utilization] = [400, 0.2];
  vi.advanceTimersByTime(10 * EVERY_MS);
  expect(collect).not.toHaveBeenCalled();
});
