import { expect, test } from "vitest";
import { startsFor } from "./use-messages";

const chunk = (from: number, to: number, nextCursor: string | null = "more") => ({
  messages: Array.from({ length: to - from + 1 }, (_, n) => ({ index: from + n })),
  pagination: { nextCursor },
});
const count = 2000;

test("rendered messages are requested in whole chunks within the conversation", () => {
  expect(startsFor({ from: 1049, to: 1051, count }, new Map())).toEqual([1000, 1050]);
  expect(startsFor({ from: -20, to: 20, count }, new Map())).toEqual([0]);
  expect(startsFor({ from: 1990, to: 2020, count }, new Map())).toEqual([1950]);
  expect(startsFor({ from: -20, to: 20, count: 0 }, new Map())).toEqual([]);
});
test("a short chunk is followed by another until the message is loaded", () => {
  const chunks = new Map([[1050, chunk(1050, 1059)]]);
  expect(startsFor({ from: 1055, to: 1055, count }, chunks)).toEqual([1050]);
  expect(startsFor({ from: 1062, to: 1062, count }, chunks)).toEqual([1050, 1060]);
  const both = new Map([...chunks, [1060, chunk(1060, 1099)] as const]);
  expect(startsFor({ from: 1062, to: 1062, count }, both)).toEqual([1050, 1060]);
});
test("a chunk that reached the end of the conversation is not followed by another when the conversation grows", () => {
  expect(startsFor({ from: 1980, to: 1995, count }, new Map([[1950, chunk(1950, 1984, null)]]))).toEqual([1950]);
});
test("a message that no longer exists is not requested forever", () => {
  expect(startsFor({ from: 1062, to: 1062, count }, new Map([[1050, chunk(1050, 1049)]]))).toEqual([1050]);
});
