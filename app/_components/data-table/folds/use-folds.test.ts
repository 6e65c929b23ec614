import type { Row } from "@tanstack/react-table";
import { expect, test } from "vitest";
import { linesOf } from "./use-folds";

/** `.` is routine, `F` a failure; ids are positions counted from `first`. */
const rowsOf = (states: string, first = 0) =>
  [...states].map((original, at) => ({ id: String(first + at), original }) as Row<string>);
const fold = { of: (state: string) => (state === "." ? state : null), words: () => null, at: () => 0 };
const shown = (states: string, opened: string[] = [], first = 0) =>
  linesOf(rowsOf(states, first), fold, new Set(opened)).map((line) =>
    line.kind === "row" ? line.row.original : `${line.open ? "-" : "+"}${line.rows.length}`,
  );

test("three or more consecutive routine rows fold into one line, and failures are never folded", () => {
  expect(shown("....F..FF...")).toEqual(["+4", "F", ".", ".", "F", "F", "+3"]);
  expect(shown("FFFF")).toEqual(["F", "F", "F", "F"]);
  expect(linesOf(rowsOf("...."), undefined, new Set())).toHaveLength(4);
});

test("an open fold shows its rows below its line, and stays open when a row is added before it", () => {
  expect(shown("...F....", ["5"])).toEqual(["+3", "F", "-4", ".", ".", ".", "."]);
  expect(shown(".....", ["1"], -1)).toEqual(["-5", ".", ".", ".", ".", "."]);
});
