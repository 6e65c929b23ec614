import { expect, test } from "vitest";
import { readableLine } from "./log";

const line = (fields: object, withStack = false) =>
  readableLine(JSON.stringify({ level: 30, time: 0, msg: "Said.", ...fields }), withStack);

test("a line is one sentence a person reads", () => {
  expect(line({ part: "jobs", level: 50, run: "jr_1", n: 2 })).toMatch(
    /^\d\d:\d\d:\d\d jobs: error: Said\. run=jr_1 n=2\n$/,
  );
});

test("an error shows its message, and its stack only where debugging asked", () => {
  const err = { message: "broken\nmore", stack: "Error: broken\n    at here" };
  expect(line({ err })).toMatch(/Said\. \(broken\)\n$/);
  expect(line({ err }, true)).toContain("at here");
});

test("credentials in other people's messages are hidden", () => {
  const err = { message: "cannot reach postgres://user:hunter2@host/db with Bearer abc.def" };
  const text = line({ err });
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("abc.def");
});
