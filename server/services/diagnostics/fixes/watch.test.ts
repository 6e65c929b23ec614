import { expect, test } from "vitest";
import { DAY_MS } from "@/server/platform/durations";
import { alwaysValidDifference, conversationsToProve, type DayCount, dispersionOf, watch } from "./watch";

const rate = (affected: number, conversations: number) => ({ affected, conversations });
const margin = (strata: Parameters<typeof alwaysValidDifference>[0]) => {
  const { rate: difference, high } = alwaysValidDifference(strata)!;
  return [difference, high - difference].map((value) => Number(value.toFixed(4)));
};

/** The same rate on each of 28 days, and what came since. */
function traffic(kind: string, before: [number, number], since: [number, number]): DayCount[] {
  const days = Array.from({ length: 28 }, (_, day) => {
    const upTo = (total: number, n: number) => Math.round((total * n) / 28);
    const of = (total: number) => upTo(total, day + 1) - upTo(total, day);
    return { kind, day: day * DAY_MS, isSince: false, ...rate(of(before[0]), of(before[1])) };
  });
  return [...days, { kind, day: 28 * DAY_MS, isSince: true, ...rate(...since) }];
}

test("the limits of a rate that may be looked at every day match reference values", () => {
  expect(margin([{ before: rate(56, 2800), since: rate(0, 450) }])).toEqual([-0.02, 0.0212]);
  expect(margin([{ before: rate(56, 2800), since: rate(0, 600) }])).toEqual([-0.02, 0.0179]);
});

test("a fix is proven once it has stayed away for long enough", () => {
  expect(watch(traffic("all", [56, 2800], [0, 450])).verdict).toBe("not_enough");
  expect(watch(traffic("all", [56, 2800], [0, 600])).verdict).toBe("proven");
  expect(conversationsToProve(rate(56, 2800))).toBe(498);
  expect(watch(traffic("all", [56, 2800], [0, 450])).needed).toBe(498);
});

test("a fix that halves the rate may never be proven by a short past", () => {
  expect(conversationsToProve(rate(12, 400), { left: 0.5 })).toBeNull();
  expect(conversationsToProve(rate(4, 400))).toBeNull();
});

test("a change of the traffic's mix is no fix", () => {
  const strata = [
    { before: rate(100, 1000), since: rate(20, 200) },
    { before: rate(10, 1000), since: rate(18, 1800) },
  ];
  expect(margin(strata)).toEqual([0, 0.0174]);
  const crude = alwaysValidDifference([{ before: rate(110, 2000), since: rate(38, 2000) }])!;
  expect([crude.rate, crude.high < 0]).toEqual([expect.closeTo(-0.036, 6), true]);
  const counts = [...traffic("a", [100, 1000], [20, 200]), ...traffic("b", [10, 1000], [18, 1800])];
  expect(watch(counts).verdict).not.toBe("proven");
});

test("a kind of conversation without a past is left out and counted", () => {
  const found = watch([...traffic("a", [100, 1000], [20, 200]), ...traffic("new", [0, 0], [0, 5000])]);
  expect(found).toMatchObject({ since: rate(20, 200), withoutPast: 5000 });
  expect(found.verdict).not.toBe("proven");
});

test("a kind that no conversation since is of is left out and counted, once there are others", () => {
  const others = traffic("others", [10, 2000], [0, 0]);
  const found = watch([...traffic("one agent's", [160, 240], [0, 30]), ...others]);
  expect(found).toMatchObject({ before: rate(160, 240), since: rate(0, 30), withoutSince: 2000, verdict: "proven" });
  expect(watch([...traffic("one agent's", [160, 240], [0, 0]), ...others])).toMatchObject({
    before: rate(170, 2240),
    withoutSince: 0,
    verdict: "not_enough",
  });
});

test("a rate that did not even halve is not proven", () => {
  expect(watch(traffic("all", [280, 2800], [280, 2800])).verdict).toBe("not_proven");
});

test("days that vary more than chance widen the limits", () => {
  expect(dispersionOf(Array.from({ length: 28 }, () => rate(2, 100)))).toBe(1);
  expect(dispersionOf(Array.from({ length: 28 }, (_, day) => rate(day % 2 === 0 ? 0 : 4, 100)))).toBeGreaterThan(1);
  const even = traffic("all", [56, 2800], [0, 600]);
  const uneven = even.map((day, n) => (day.isSince ? day : { ...day, affected: n % 7 === 0 ? 14 : 0 }));
  expect(watch(even).verdict).toBe("proven");
  expect(watch(uneven).verdict).toBe("not_enough");
});
