import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBulkhead, emptyBulkhead } from "./bulkhead";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Callers whose work runs until it is released. */
function callers(bulkhead: ReturnType<typeof createBulkhead>) {
  const inside: { project: string; release: () => void }[] = [];
  const call = (project: string) =>
    bulkhead.run(project, () => new Promise<void>((release) => void inside.push({ project, release })));
  const count = (project: string) => inside.filter((one) => one.project === project).length;
  /** Ends the project's oldest work. */
  const release = async (project: string) => {
    const [oldest] = inside.splice(
      inside.findIndex((one) => one.project === project),
      1,
    );
    oldest?.release();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { call, count, release };
}

test("a lone project gets half the slots, and a new project gets one immediately even when several are busy", async () => {
  const { call, count } = callers(createBulkhead(emptyBulkhead(10)));
  for (const project of ["a", "b", "c"]) {
    for (let n = 0; n < 20; n++) call(project).catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(count(project)).toBeGreaterThan(0);
    if (project === "a") expect(count("a")).toBe(5);
  }
  call("late").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(count("late")).toBe(1);
});

test("queued work is admitted round-robin, project by project", async () => {
  const { call, count, release } = callers(createBulkhead(emptyBulkhead(2)));
  for (const project of ["a", "a", "a", "b", "b"]) call(project).catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect([count("a"), count("b")]).toEqual([1, 1]);
  await release("a");
  expect([count("a"), count("b")]).toEqual([1, 1]);
  await release("b");
  await release("a");
  expect([count("a"), count("b")]).toEqual([1, 1]);
});

test("work that waits too long or finds the queue full is rejected with a Retry-After", async () => {
  const bulkhead = createBulkhead(emptyBulkhead(2), { maxWaitMs: 5000, maxQueued: 1 });
  const { call, count, release } = callers(bulkhead);
  call("a").catch(() => {});
  const late = expect(call("a")).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
  await expect(call("a")).rejects.toMatchObject({ code: "rate_limited", retryAfter: 5 });
  await vi.advanceTimersByTimeAsync(5000);
  await late;
  await release("a");
  call("a").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(count("a")).toBe(1);
});

test("failed work frees its slot", async () => {
  const bulkhead = createBulkhead(emptyBulkhead(1));
  await expect(bulkhead.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await bulkhead.run("a", () => Promise.resolve("yes"))).toBe("yes");
});

test("two bulkheads with a shared state share its slots, and one admits work when the other frees a slot", async () => {
  const state = emptyBulkhead(2);
  const [pages, routes] = [callers(createBulkhead(state)), callers(createBulkhead(state))];
  pages.call("a").catch(() => {});
  routes.call("a").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect([pages.count("a"), routes.count("a")]).toEqual([1, 0]);
  await pages.release("a");
  expect(routes.count("a")).toBe(1);
});
