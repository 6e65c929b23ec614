import { expect, test } from "vitest";
import { advance, QUIET, stateOf } from "./advance";
import type { Reading } from "./readings/readings";

type Verdict = Reading["verdict"];

/** Returns the events of some verdicts, one a minute, as `3 fired`. */
function eventsOf(verdicts: readonly Verdict[]): string[] {
  const events: string[] = [];
  let standing = QUIET;
  verdicts.forEach((verdict, minute) => {
    const { event, ...next } = advance(standing, { verdict }, 3);
    if (event) events.push(`${minute} ${event}`);
    standing = next;
  });
  return events;
}

test("an alert fires at its second evaluation in a row beyond the limit, once, however long that lasts", () => {
  expect(eventsOf(["beyond", "inside", "beyond", "between", "beyond"])).toEqual([]);
  expect(eventsOf(["inside", "beyond", "beyond", "beyond", "beyond"])).toEqual(["2 fired"]);
});

test("it clears after three evaluations in a row well inside the limit, and may fire again", () => {
  expect(eventsOf(["beyond", "beyond", "inside", "inside", "between", "inside", "inside"])).toEqual(["1 fired"]);
  expect(eventsOf(["beyond", "beyond", "inside", "inside", "inside", "beyond", "beyond"])).toEqual([
    "1 fired",
    "4 cleared",
    "6 fired",
  ]);
});

test("what is not known neither fires nor clears, and an alert that fires is shown as firing meanwhile", () => {
  expect(eventsOf(["beyond", "no_data", "beyond", "too_few"])).toEqual([]);
  expect(eventsOf(["beyond", "beyond", "no_data", "too_few", "no_data", "inside", "no_data"])).toEqual(["1 fired"]);
  expect(stateOf({ isFiring: true, streak: 0 }, { verdict: "no_data" })).toBe("firing");
  expect(stateOf(QUIET, { verdict: "no_data" })).toBe("no_data");
  expect(stateOf(QUIET, { verdict: "too_few" })).toBe("too_few");
  expect(stateOf(QUIET, { verdict: "between" })).toBe("ok");
});
