import { expect, test } from "vitest";
import { hideCredentials, readableLine } from "./log";

const line = (fields: object, withStack = false) =>
  readableLine(JSON.stringify({ level: 30, time: 0, msg: "Said.", ...fields }), withStack);

test("a line has the time, part, level, message and fields", () => {
  expect(line({ part: "jobs", level: 50, run: "jr_1", n: 2 })).toMatch(
    /^\d\d:\d\d:\d\d jobs: error: Said\. run=jr_1 n=2\n$/,
  );
});

test("an error shows the first line of its message, and its stack only when requested", () => {
  const err = { message: "broken\nmore", stack: "Error: broken\n    at here" };
  expect(line({ err })).toMatch(/Said\. \(broken\)\n$/);
  expect(line({ err }, true)).toContain("at here");
});

test("credentials in an error's message are hidden", () => {
  const err = { message: "cannot reach postgres://user:hunter2@host/db with Bearer abc.def" };
  const text = line({ err });
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("abc.def");
});

test.each([
  ["postgres://user:hunter2@host/db", "postgres://***@host/db"],
  // An unescaped password.
  ["postgres://user:hun@ter2@host/db", "postgres://***@host/db"],
  ["https://host/path?to=ann@example.com", "https://host/path?to=ann@example.com"],
  ["Authorization: Bearer abc.def, basic dXNlcg==", "Authorization: Bearer *** basic ***"],
  ["GET /share/b-tM6ZPDK-i0jZZsnL6m6mGELoWr3Ult took 2 s", "GET /share/*** took 2 s"],
  [`at /x?key=whet_${"0".repeat(32)}_abc&y`, "at /x?key=whet_***&y"],
  ["cannot read /usr/share/zoneinfo/UTC", "cannot read /usr/share/zoneinfo/UTC"],
  ["nothing to hide", "nothing to hide"],
])("only the credentials in %s are hidden", (text, safe) => {
  expect(hideCredentials(text)).toBe(safe);
});

const MEGABYTE = 1024 * 1024;
test.each([
  ["a word without end", "://", "a"],
  ["addresses without end", "", "a://"],
  ["credentials without end", "a://", "a:"],
  ["spaces after a scheme", "bearer", " "],
  ["schemes without end", "", "bearer "],
  ["beginnings of keys", "", "whet_0123456789abcdef"],
])("credentials after a megabyte of %s are hidden", (_, start, repeated) => {
  const text = start + repeated.repeat(MEGABYTE / repeated.length);
  expect(hideCredentials(`${text} postgres://user:hunter2@host`)).not.toContain("hunter2");
});
