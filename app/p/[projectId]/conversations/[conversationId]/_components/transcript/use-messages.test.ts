import { expect, test } from "vitest";
import { startsFor } from "./use-messages";

const chunk = (from: number, to: number) => ({
  messages: Array.from({ length: to - from + 1 }, (_, n) => ({ index: from + n })),
});

test("messages that came with the conversation are not requested again", () => {
  expect(startsFor([0, 999], 1000, new Map())).toEqual([]);
});
test("visible messages are requested in whole chunks, each once", () => {
  expect(startsFor([1049, 1050, 1051], 1000, new Map())).toEqual([1000, 1050]);
});
test("after a short chunk another one starts, until the message is loaded", () => {
  const chunks = new Map([[1050, chunk(1050, 1059)]]);
  expect(startsFor([1055], 1000, chunks)).toEqual([1050]);
  expect(startsFor([1062], 1000, chunks)).toEqual([1050, 1060]);
  expect(startsFor([1062], 1000, new Map([...chunks, [1060, chunk(1060, 1099)]]))).toEqual([1050, 1060]);
});
test("a message that no longer exists is not requested forever", () => {
  expect(startsFor([1062], 1000, new Map([[1050, chunk(1050, 1049)]]))).toEqual([1050]);
});
