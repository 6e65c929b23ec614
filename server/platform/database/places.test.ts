import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPlaces, vacant } from "./places";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that goes on until it is told to end. */
function visitors(places: ReturnType<typeof createPlaces>) {
  const inside: { project: string; leave: () => void }[] = [];
  const come = (project: string) =>
    places.hold(project, () => new Promise<void>((leave) => void inside.push({ project, leave })));
  const count = (project: string) => inside.filter((one) => one.project === project).length;
  /** The one of this project that came first leaves. */
  const leave = async (project: string) => {
    const [gone] = inside.splice(
      inside.findIndex((one) => one.project === project),
      1,
    );
    gone?.leave();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { come, count, leave };
}

test("a project alone has half the places, and after several greedy ones the next still finds one at once", async () => {
  const { come, count } = visitors(createPlaces(vacant(10)));
  for (const project of ["a", "b", "c"]) {
    for (let n = 0; n < 20; n++) come(project).catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(count(project)).toBeGreaterThan(0);
    if (project === "a") expect(count("a")).toBe(5);
  }
  come("late").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(count("late")).toBe(1);
});

test("those who wait are served in turns, a project at a time", async () => {
  const { come, count, leave } = visitors(createPlaces(vacant(2)));
  for (const project of ["a", "a", "a", "b", "b"]) come(project).catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect([count("a"), count("b")]).toEqual([1, 1]);
  await leave("a");
  expect([count("a"), count("b")]).toEqual([1, 1]);
  await leave("b");
  await leave("a");
  expect([count("a"), count("b")]).toEqual([1, 1]);
});

test("what waits too long is refused with when to come back, and what comes to a queue that is full as well", async () => {
  const places = createPlaces(vacant(2), { longestWaitMs: 5000, mostWaiting: 1 });
  const { come, count, leave } = visitors(places);
  come("a").catch(() => {});
  const late = expect(come("a")).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
  await expect(come("a")).rejects.toMatchObject({ code: "rate_limited", retryAfter: 5 });
  await vi.advanceTimersByTimeAsync(5000);
  await late;
  await leave("a");
  come("a").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(count("a")).toBe(1);
});

test("work that fails leaves its place", async () => {
  const places = createPlaces(vacant(1));
  await expect(places.hold("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await places.hold("a", () => Promise.resolve("yes"))).toBe("yes");
});

test("two that share an occupancy count together, and each hands on what the other frees", async () => {
  const occupancy = vacant(2);
  const [pages, routes] = [visitors(createPlaces(occupancy)), visitors(createPlaces(occupancy))];
  pages.come("a").catch(() => {});
  routes.come("a").catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect([pages.count("a"), routes.count("a")]).toEqual([1, 0]);
  await pages.leave("a");
  expect(routes.count("a")).toBe(1);
});
