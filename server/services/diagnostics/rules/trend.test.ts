import { expect, test } from "vitest";
import { isEscalating, isWorse, mayEscalate, rateDifference, wilson } from ".";

test("a share has the limits of Wilson's score interval", () => {
  expect(wilson({ affected: 0, conversations: 0 })).toBeNull();
  const { rate, low, high } = wilson({ affected: 10, conversations: 100 })!;
  expect(rate).toBe(0.1);
  expect(low).toBeCloseTo(0.0552, 4);
  expect(high).toBeCloseTo(0.1744, 4);
  expect(wilson({ affected: 0, conversations: 10 })).toMatchObject({ rate: 0, low: 0 });
  expect(wilson({ affected: 10, conversations: 10 })).toMatchObject({ rate: 1, high: 1 });
});

test("escalation begins once the rate is reliably twice the past rate, and ends below 1.25 times", () => {
  const past = { affected: 100, conversations: 1000 };
  const at = (affected: number, was: boolean) => isEscalating({ now: { affected, conversations: 100 }, past, was });
  expect(at(21, false)).toBe(false);
  expect(at(31, false)).toBe(true);
  expect(at(21, true)).toBe(true);
  expect(at(13, true)).toBe(true);
  expect(at(12, true)).toBe(false);
  expect(at(0, true)).toBe(false);
});

test("few conversations or a past without the Finding are not an escalation", () => {
  const past = { affected: 1, conversations: 1000 };
  expect(isEscalating({ now: { affected: 4, conversations: 4 }, past, was: false })).toBe(false);
  expect(isEscalating({ now: { affected: 5, conversations: 5 }, past, was: false })).toBe(true);
  const none = { affected: 0, conversations: 1000 };
  expect(isEscalating({ now: { affected: 50, conversations: 50 }, past: none, was: false })).toBe(false);
});

test("a rate worse than at dismissal requires the same evidence", () => {
  expect(isWorse({ affected: 12, conversations: 100 }, 0.1)).toBe(false);
  expect(isWorse({ affected: 40, conversations: 100 }, 0.1)).toBe(true);
  expect(isWorse({ affected: 4, conversations: 4 }, 0)).toBe(false);
});

test("the limits of a rate difference narrow with more conversations, and it is null without any", () => {
  const fell = rateDifference({ affected: 22, conversations: 255 }, { affected: 0, conversations: 145 });
  expect(fell!.rate).toBeCloseTo(-22 / 255);
  expect(fell!.high).toBeLessThan(0);
  expect(rateDifference({ affected: 2, conversations: 25 }, { affected: 0, conversations: 14 })!.high).toBeGreaterThan(
    0,
  );
  expect(rateDifference({ affected: 1, conversations: 9 }, { affected: 0, conversations: 0 })).toBeNull();
});

test("only what may escalate by the number of all conversations with it begins to", () => {
  const numbers = [0, 1, 4, 5, 9, 40];
  const rates = numbers.flatMap((now) => numbers.map((past) => ({ now, past })));
  const of = (affected: number) => ({ affected, conversations: 40 });
  const begins = rates.filter(({ now, past }) => isEscalating({ now: of(now), past: of(past), was: false }));
  expect(begins.length).toBeGreaterThan(2);
  expect(begins.every(mayEscalate)).toBe(true);
  expect(rates.filter((most) => !mayEscalate(most)).length).toBeGreaterThan(20);
});
