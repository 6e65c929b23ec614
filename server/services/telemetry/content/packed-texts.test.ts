import { expect, test } from "vitest";
import { packTexts, unpackTexts } from "./packed-texts";

test("texts come back exactly, whatever characters they have", () => {
  const texts = new Map([
    ["empty", ""],
    ["ascii", "an order"],
    ["wide", "주문 €  \u{1f9fe} é"],
    ["byte-order mark", "\uFEFFtext"],
    ["NUL", "a\0b"],
  ]);
  const unpacked = unpackTexts(structuredClone(packTexts(texts)));
  for (const [id, text] of texts) expect(unpacked.get(id), id).toBe(text);
});

test("an unknown id has no text", () => {
  expect(unpackTexts(packTexts(new Map([["a", "text"]]))).get("b")).toBeUndefined();
});
