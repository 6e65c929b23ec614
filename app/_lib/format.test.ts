import { describe, expect, test } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCount,
  formatDuration,
  formatPercent,
  formatUsd,
  formatUsdExact,
  plural,
} from "./format";
import { wilson } from "./rate";

describe("money", () => {
  test.each([
    [0.0065, "$0.0065"],
    [0.00651, "$0.0065"],
    [0.000012, "$0.000012"],
    [0.25, "$0.25"],
    [0.0996, "$0.100"],
    [0.999, "$1.00"],
    [1.239, "$1.24"],
    [1234.5, "$1,234.50"],
    [12310.4, "$12,310"],
    [0, "$0.00"],
    [-0.5, "-$0.50"],
  ])("%d is formatted as %s", (value, text) => expect(formatUsd(value)).toBe(text));

  test("an unknown cost is not shown as zero", () => {
    for (const unknown of [null, undefined, Number.NaN]) expect(formatUsd(unknown)).toBe("—");
    expect(formatUsdExact(null)).toBe("unknown");
  });
  test("the exact form keeps every digit", () => expect(formatUsdExact(0.000012345)).toBe("$0.000012345"));
});

test("counts have thousands separators, and large ones a compact form", () => {
  expect(formatCount(12310)).toBe("12,310");
  expect(formatCount(null)).toBe("—");
  expect(formatCompact(9999)).toBe("9,999");
  expect(formatCompact(48_213)).toBe("48.2K");
  expect(formatCompact(1_250_000)).toBe("1.25M");
});

test("durations are shown in milliseconds, seconds, minutes or hours", () => {
  expect(formatDuration(0)).toBe("0 ms");
  expect(formatDuration(0.25)).toBe("0.25 ms");
  expect(formatDuration(431)).toBe("431 ms");
  expect(formatDuration(1234)).toBe("1.23 s");
  expect(formatDuration(59_990)).toBe("1 min 0 s");
  expect(formatDuration(3_720_000)).toBe("1 h 2 min");
  expect(formatDuration(-1)).toBe("—");
});

test("recent times are relative, and older ones are dates", () => {
  const now = Date.UTC(2026, 10, 20, 12);
  expect(formatAgo(now - 1000, now)).toBe("now");
  expect(formatAgo(now - 61_000, now)).toBe("1 min ago");
  expect(formatAgo(now + 7_200_000, now)).toBe("in 2 h");
  expect(formatAgo(now - 3 * 86_400_000, now)).toBe("3 d ago");
  expect(formatAgo(Date.UTC(2026, 0, 3), now)).toBe("3 Jan");
  expect(formatAgo(Date.UTC(2024, 0, 3), now)).toBe("3 Jan 2024");
  expect(formatAgo(null, now)).toBe("—");
  expect(formatAgo(9e15, now)).toBe("—");
});

test("shares are formatted as percentages, and their Wilson interval is computed", () => {
  expect(formatPercent(0.035)).toBe("3.5%");
  expect(formatPercent(0.42)).toBe("42%");
  expect(formatPercent(Number.NaN)).toBe("—");
  expect(wilson(0, 0)).toBeNull();
  expect(wilson(12, 340)!.low).toBeCloseTo(0.0203, 3);
  expect(wilson(12, 340)!.high).toBeCloseTo(0.0607, 3);
  expect(wilson(5, 5)!.high).toBe(1);
});

test("sizes are shown in decimal units", () => {
  expect([0, 512, 999, 1000, 1_240_000, 999_600, 53e9, 2e18].map(formatBytes)).toEqual([
    "0 B",
    "512 B",
    "999 B",
    "1 kB",
    "1.24 MB",
    "1 MB",
    "53 GB",
    "2000 PB",
  ]);
  expect([null, undefined, -1, Number.NaN].map(formatBytes)).toEqual(["—", "—", "—", "—"]);
});

test("a count of one is singular, and others are plural", () => {
  expect(plural(1, "conversation")).toBe("1 conversation");
  expect(plural(1200, "conversation")).toBe("1,200 conversations");
  expect(plural(3, "person")).toBe("3 people");
});
