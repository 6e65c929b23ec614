import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { periodsOf } from "./periods";

const TODAY = Date.UTC(2026, 10, 27);
const NOW = TODAY + 21 * HOUR_MS;

test("the last seven full days are compared with the seven before", () => {
  expect(periodsOf(NOW, 0)).toEqual({
    period: { from: TODAY - 7 * DAY_MS, to: TODAY },
    before: { from: TODAY - 14 * DAY_MS, to: TODAY - 7 * DAY_MS },
    isComparable: true,
  });
});

test("a project younger than both periods is compared with nothing", () => {
  expect(periodsOf(NOW, TODAY - 13 * DAY_MS)).toMatchObject({ isComparable: false });
  expect(periodsOf(NOW, TODAY - 14 * DAY_MS + HOUR_MS)).toMatchObject({ isComparable: true });
});

test("a project that began today shows today", () => {
  for (const first of [null, TODAY, NOW]) {
    expect(periodsOf(NOW, first)).toMatchObject({ period: { from: TODAY, to: TODAY + DAY_MS }, isComparable: false });
  }
});
