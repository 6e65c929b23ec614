import { expect, test } from "vitest";
import { addSymbols, onlySymbolsOf } from "./symbols";

const symbolsOf = (text: string) => {
  const symbols = new Set<string>();
  addSymbols(symbols, text);
  return [...symbols];
};

test.each([
  ["100% of C:\\x_y", ["%", ":", "\\", ":\\", "_"]],
  ["a && b || c++", ["&", "&&", "|", "||", "+", "++"]],
  ["Köln 🧪, 5€", ["🧪", ",", "🧪,", "€"]],
  ["half ％", ["%"]],
  ["no symbols 1", []],
])("the symbols of %j are %j", (text, symbols) => {
  expect(symbolsOf(text)).toEqual(symbols);
});

test.each(["%", "(", "\\", "🧪", "++", "!= ==", "❤️", "👩‍🔬"])("%s consists of symbols, which its text has", (query) => {
  const symbols = onlySymbolsOf(query);
  expect(symbols.length).toBeGreaterThan(0);
  expect(symbolsOf(`before ${query} after`)).toEqual(symbols);
});

test.each(["100%", "C++", "東京", "", " "])("%j does not consist of symbols", (query) => {
  expect(onlySymbolsOf(query)).toEqual([]);
});

test("a text of any size yields a bounded number of symbols", () => {
  const all = String.fromCodePoint(...Array.from({ length: 200 }, (_, n) => 0x1f300 + n));
  expect(symbolsOf(all.repeat(1000)).length).toBeLessThanOrEqual(301);
});
