import { expect, test } from "vitest";
import { locate, segmentsOf } from "./marks";

test("a quote is found at its recorded position, or else wherever it occurs", () => {
  expect(locate("order not found, order not found", { start: 17, end: 32, quote: "order not found" })).toEqual([
    17, 32,
  ]);
  expect(locate("error: not found", { start: 0, end: 3, quote: "not found" })).toEqual([7, 16]);
  expect(locate("all well", { start: 0, end: 5, quote: "error" })).toBeNull();
  expect(locate("all well", { start: 0, end: 0, quote: "" })).toBeNull();
});

test("text is split at quotes, and overlapping quotes are merged", () => {
  expect(
    segmentsOf("abcdef", [
      [4, 9],
      [1, 3],
      [2, 4],
    ]),
  ).toEqual([
    { text: "a", marked: false },
    { text: "bcdef", marked: true },
  ]);
  expect(segmentsOf("abc", [])).toEqual([{ text: "abc", marked: false }]);
  expect(segmentsOf("", [[0, 2]])).toEqual([]);
});
