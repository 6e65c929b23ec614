import { expect, test } from "vitest";
import { Recent } from "./recent";

test("what was used lately is remembered, what was not is forgotten in time", () => {
  const recent = new Recent<number>(3);
  for (let round = 0; round < 10; round++) {
    recent.set(`new ${round}`, round);
    recent.set("kept", 1);
    expect(recent.get("kept")).toBe(1);
  }
  expect(recent.get("new 0")).toBeUndefined();
  expect(recent.get("new 9")).toBe(9);
});

test("that nothing was found can be remembered too", () => {
  const recent = new Recent<null>(1);
  recent.set("a", null);
  expect(recent.get("a")).toBeNull();
  expect(recent.get("b")).toBeUndefined();
});
