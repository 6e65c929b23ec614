import { expect, test } from "vitest";
import { codeUnits } from "./code-units";

const unitsOf = (text: string) => [...codeUnits(text).subarray(0, text.length)];
const expected = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

test("returns the code units of any text, whatever its length and the previous text", () => {
  for (const text of ["plain", "naïve – “ok” 指示 😀", "", "x".repeat(100_000), "short"]) {
    expect(unitsOf(text)).toEqual(expected(text));
  }
});
