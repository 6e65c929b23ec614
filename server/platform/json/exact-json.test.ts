import { expect, test } from "vitest";
import { isExactNumber, parseExactJson, plainNumber } from "./exact-json";

test.each([
  ['{"user_id":1234567890123456789,"amount":10.10,"big":1e400}'],
  ["[9007199254740993,-9007199254740993,18446744073709551616]"],
  ["[1.0,0.10,-0,-0.0,1E5,1e-7,100e2]"],
  ["[0.1234567890123456789,3.14159265358979323846]"],
  ['{"a":{"b":[{"c":12345678901234567890}]},"__proto__":1.50}'],
  ['["1234567890123456789","10.10"]'],
  ["12345678901234567890"],
])("%s is written as it was read", (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});

test("numbers that JavaScript represents as written are numbers", () => {
  expect(parseExactJson('{"at":[0,-1,2.5,9007199254740991],"with":[1e3]}')).toEqual({
    at: [0, -1, 2.5, 9007199254740991],
    with: [expect.objectContaining({ rawJSON: "1e3" })],
  });
});

test("JSON nested more deeply than functions can be called is parsed", () => {
  const depth = 50_000;
  expect(parseExactJson(`${"[".repeat(depth)}1${"]".repeat(depth)}`)).toBeInstanceOf(Array);
});

test.each([
  ["10.10", 10.1],
  ["1e3", 1000],
  ["1234567890123456789", "1234567890123456789"],
  ["1e400", "1e400"],
])("%s as a plain value is %o", (text, plain) => {
  const [read] = parseExactJson(`[${text}]`) as unknown[];
  expect(isExactNumber(read) && plainNumber(read)).toBe(plain);
});
