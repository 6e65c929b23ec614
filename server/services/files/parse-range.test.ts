import { expect, test } from "vitest";
import { parseRange } from "./parse-range";

test.each([
  [undefined, undefined],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=2-", { start: 2, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-30", { start: 0, end: 9 }],
  ["bytes=5-99", { start: 5, end: 9 }],
  ["bytes=0-1,4-5", undefined],
  ["bytes=5-2", undefined],
  ["items=0-1", undefined],
  ["bytes=-", undefined],
])("of ten bytes, the range %s is %o", (header, range) => {
  expect(parseRange(header, 10)).toEqual(range);
});

test.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("of ten bytes, the range %s is refused", (header) => {
  expect(() => parseRange(header, 10)).toThrow("has 10 bytes");
});
