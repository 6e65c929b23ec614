import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json";

test("fields are sorted by name as text, at every level", () => {
  expect(canonicalJson({ b: [1, { y: null, x: 1e21 }], a: "é\n" })).toBe('{"a":"é\\n","b":[1,{"x":1e+21,"y":null}]}');
  expect(canonicalJson({ 10: "ten", 9: "nine", "€": 1, "\u{1F600}": 2 })).toBe('{"10":"ten","9":"nine","€":1,"😀":2}');
});

test("undefined is serialised as null", () => {
  expect(canonicalJson(undefined)).toBe("null");
});
