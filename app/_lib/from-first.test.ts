import { expect, test } from "vitest";
import { fromFirst } from "./from-first";

const has = (value: number) => value > 0;

test.each<[string, number[], number[]]>([
  ["starts where data starts", [0, 0, 3, 0, 1], [3, 0, 1]],
  ["shows the last rows, however late data starts", [0, 0, 0, 0, 1], [0, 0, 1]],
  ["shows everything without data", [0, 0, 0, 0], [0, 0, 0, 0]],
  ["has no more rows than there are", [0, 1], [0, 1]],
])("a chart %s", (_, rows, shown) => {
  expect(fromFirst(rows, has, 3)).toEqual(shown);
});
