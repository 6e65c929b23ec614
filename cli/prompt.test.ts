import { Readable } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { firstLine, passwordOf } from "./prompt";

const said: string[] = [];
const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
afterEach(() => {
  said.length = 0;
  spy.mockClear();
});

test.each([
  ["correct horse\nsecond", "correct horse"],
  ["correct horse\r\n", "correct horse"],
  [" spaces stay ", " spaces stay "],
  ["", ""],
])("a password on standard input is read from its first line", async (input, line) => {
  expect(await firstLine(Readable.from([input]))).toBe(line);
});

test("a password on the command line is accepted with a warning that does not repeat it", async () => {
  expect(await passwordOf({ password: "correct horse" })).toBe("correct horse");
  expect(said.join("")).toMatch(/can be read by other programs on this machine.*--password-stdin/);
  expect(said.join("")).not.toContain("correct horse");
});

test("a password cannot be given in two ways", async () => {
  await expect(passwordOf({ password: "x", passwordStdin: true })).rejects.toThrow("one way");
});

test("without a terminal there is no prompt", async () => {
  expect(await passwordOf({})).toBeUndefined();
  expect(await passwordOf({ password: false })).toBeUndefined();
  expect(said).toEqual([]);
});
