import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CONVENTIONS } from "./conventions";
import { isShownOnly, isTaken } from "./read-span";
import { whatIsRead } from "./what-is-read";

describe.each(CONVENTIONS.map((convention) => [convention.name, convention] as const))(
  "%s",
  (_name, { attributes, unread }) => {
    test("every attribute is read or shown, or else named as unread", () => {
      expect(attributes.filter((name) => !isTaken(name) && !isShownOnly(name))).toEqual([]);
    });

    test("no attribute that is read is named as unread", () => {
      // Flattened messages are read by prefix; other attributes under it hold none.
      const alone = Object.keys(unread).filter((name) => !name.startsWith("gen_ai.prompt."));
      expect(alone.filter((name) => isTaken(name))).toEqual([]);
    });
  },
);

test("the document is that of the conventions", () => {
  const document = readFileSync(path.resolve("docs/what-is-read.md"), "utf8");
  expect(document, "Run npm run docs:what-is-read.").toBe(whatIsRead());
});
