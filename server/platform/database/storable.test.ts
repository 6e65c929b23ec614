import { expect, test } from "vitest";
import type { ServiceError } from "../errors";
import { requireStorable } from "./storable";

function errorsOf(input: unknown) {
  try {
    requireStorable(input);
    return [];
  } catch (error) {
    return (error as ServiceError).errors ?? [];
  }
}
const nested = (depth: number, inner: unknown) => {
  let value = inner;
  for (let n = 0; n < depth; n++) value = { a: value };
  return value;
};

test("text that no column can store and the name `__proto__` are rejected with their path", () => {
  expect(errorsOf({ a: ["fine", "\u0000"], "b/c": { d: "\ud800" }, "e\u0000": 1 })).toEqual([
    { path: "", message: "Must not contain the character U+0000." },
    { path: "/b~1c/d", message: "Must be well-formed Unicode (it contains a lone surrogate)." },
    { path: "/a/1", message: "Must not contain the character U+0000." },
  ]);
  expect(errorsOf(JSON.parse('{"a":{"__proto__":{"b":1}}}'))).toEqual([
    { path: "/a/__proto__", message: "This name is not allowed." },
  ]);
  expect(errorsOf({ a: [1, null, true, { b: "c" }] })).toEqual([]);
  expect(errorsOf("\u0000")).toHaveLength(1);
});

test("100 levels of nesting are accepted, and 101 are rejected", () => {
  expect(errorsOf(nested(99, {}))).toEqual([]);
  expect(errorsOf(nested(100, {}))).toEqual([{ path: "/a/a/a", message: "Is nested deeper than 100 levels." }]);
});

test("at most 20 of many problems are listed", () => {
  expect(errorsOf(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`\u0000${n}`, n])))).toHaveLength(20);
  expect(errorsOf(Array.from({ length: 100_000 }, () => "\u0000"))).toHaveLength(20);
});

test("checking a wide, deeply nested value does not copy its path for each element", () => {
  const MIB = 1024 * 1024;
  let used = 0;
  // Measures the heap when read, which happens after all its siblings have been visited.
  const last = {
    get now() {
      used = process.memoryUsage().heapUsed;
      return 1;
    },
  };
  const input = nested(97, [...new Array(200_000).fill(0), last]);
  const before = process.memoryUsage().heapUsed;
  expect(errorsOf(input)).toEqual([]);
  // Storing a 98-segment path for each value would take 150 MiB.
  expect(used - before).toBeLessThan(75 * MIB);
});
