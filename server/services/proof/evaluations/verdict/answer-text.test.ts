import { expect, test } from "vitest";
import { answerText, isCalls } from "./answer-text";
import { judge } from "./judge";
import { decideRight } from "./right";

const call = (name: string, given: string) => answerText("", [{ name, arguments: given }]);
const said = (content: string) => ({ content, finishReason: "stop" as const });
const EXPECTED = call("find_order", '{"id": 7, "open": true}');

test("an answer without calls is its text, and one with calls is the calls", () => {
  expect(answerText("Hello", [])).toBe("Hello");
  expect(answerText("I look.", [{ name: "find", arguments: '{"a": 1.0}' }])).toBe(
    '[{"name":"find","arguments":{"a":1}}]',
  );
  expect(call("find", "{cut")).toBe('[{"name":"find","arguments":"{cut"}]');
});

test("only a list of calls counts as calls", () => {
  expect(isCalls(EXPECTED)).toBe(true);
  for (const text of ["find_order", "[]x", "[1]", '[{"name":"Ann","age":3}]', '{"name":"a","arguments":{}}']) {
    expect(isCalls(text)).toBe(false);
  }
});

test("a call matches by its name and its arguments' values, not by their order", () => {
  const [same, other, text] = [
    call("find_order", '{"open":true,"id":7}'),
    call("find_order", '{"id":8}'),
    "I will look.",
  ];
  expect(judge(EXPECTED, said(other), said(same))).toMatchObject({ outcome: "win", reason: "matches_expected" });
  // A text where a call is expected is worse than a call with other arguments.
  expect(judge(EXPECTED, said(text), said(other))).toMatchObject({ outcome: "win", reason: "not_json" });
});

test("a call that resembles the right one is not right", () => {
  const floors = [{ language: null, floor: 0.3, n: 30, others: [] }];
  const nearly = call("find_order", '{"id": 7, "open": false}');
  expect(decideRight(EXPECTED, said(nearly), floors)).toEqual({ right: false, by: "unlike" });
  expect(decideRight(EXPECTED, said(nearly), [])).toEqual({ right: false, by: "unlike" });
  expect(decideRight(EXPECTED, said(call("find_order", '{"open":true,"id":7}')), [])).toEqual({
    right: true,
    by: "match",
  });
});
