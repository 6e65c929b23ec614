import { expect, test } from "vitest";
import { HOUR_MS } from "@/server/platform/durations";
import { createClockWatch } from "./clock-watch";

const LEASE_MS = 15_000;

/** Returns a watch, and reads it after so many seconds, with a database that is ahead by so many hours. */
function watched() {
  let now = 1_000;
  const watch = createClockWatch(LEASE_MS, () => now);
  return (afterSeconds: number, aheadHours = 0, tookSeconds = 0) => {
    now += afterSeconds * 1_000;
    const [asked, databaseMs] = [now, 1_700_000_000_000 + now + aheadHours * HOUR_MS];
    now += tookSeconds * 1_000;
    return watch.isSteady(databaseMs, asked);
  };
}

test.each([1, -1])("a jump of %d h makes the clock unsteady for as long as a lease", (hours) => {
  const read = watched();
  expect([read(1), read(1), read(1, hours), read(10, hours), read(6, hours)]).toEqual([true, true, false, false, true]);
});

test("a slow reply and a process that was suspended are no jumps", () => {
  const read = watched();
  expect([read(1), read(1, 0, 30), read(1), read(7_200)]).toEqual([true, true, true, true]);
});
