import { expect, test, vi } from "vitest";
import { createRefusalCounter, type RefusedCount } from "./telemetry-refusals";

const sender = (n: number) => ({ authorization: null, address: `198.51.100.${n}` });
const total = (counts: readonly RefusedCount[]) => counts.reduce((sum, { count }) => sum + count, 0);

test("a flood from many networks is told apart up to a limit, in each minute, and counted whole", async () => {
  let now = 0;
  const stored: RefusedCount[][] = [];
  const counter = createRefusalCounter(() => now);
  counter.storeWith(async (counts) => void stored.push([...counts]));
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 5_000; n++) {
      counter.count("missing_key", { authorization: null, address: `2001:db8:${round}:${n.toString(16)}::1` });
    }
    await counter.flush();
    now += 10_000;
  }
  expect(stored.map(total)).toEqual([5_000, 5_000, 5_000]);
  expect(stored[0]).toHaveLength(201);
  expect(new Set(stored.slice(1).flatMap((counts) => counts.map(({ network }) => network))).size).toBe(201);
  expect(stored[2]).toEqual([expect.objectContaining({ reason: "others", network: null, count: 5_000 })]);
});

test("what could not be stored is stored with what came after, once", async () => {
  let isAway = true;
  const stored: RefusedCount[][] = [];
  const counter = createRefusalCounter();
  counter.storeWith(async (counts) => {
    if (isAway) throw new Error("The database is away.");
    stored.push([...counts]);
  });
  counter.count("missing_key", sender(1));
  await counter.flush();
  isAway = false;
  counter.count("missing_key", sender(1));
  counter.count("unknown_key", sender(1));
  await counter.flush();
  await counter.flush();
  expect(stored.map((counts) => counts.map(({ reason, count }) => [reason, count]))).toEqual([
    [
      ["missing_key", 2],
      ["unknown_key", 1],
    ],
  ]);
});

test("counts are stored soon after the first request, and then every 10 s", async () => {
  vi.useFakeTimers();
  try {
    const store = vi.fn(async () => {});
    const counter = createRefusalCounter();
    counter.count("missing_key", sender(1));
    counter.storeWith(store);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store).toHaveBeenCalledTimes(1);
    counter.count("missing_key", sender(1));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(store).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("only the id of a key is kept, also of one that was mistyped", async () => {
  const stored: RefusedCount[] = [];
  const counter = createRefusalCounter();
  counter.storeWith(async (counts) => void stored.push(...counts));
  counter.count("unknown_key", { authorization: `Bearer whet_${"a".repeat(32)}_s3cret`, address: "203.0.113.7" });
  counter.count("unknown_key", { authorization: "Bearer sk-s3cret", address: null });
  await counter.flush();
  expect(stored.map(({ keyId, network }) => [keyId, network])).toEqual([
    [`key_${"a".repeat(32)}`, "203.0.113.7"],
    [null, null],
  ]);
  expect(JSON.stringify(stored)).not.toContain("s3cret");
});
