import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CONVENTIONS } from "./conventions";
import { isShownOnly, isTaken } from "./read-span";
import { attributesSent, whatIsRead } from "./what-is-read";

describe.each(CONVENTIONS.map((convention) => [convention.name, convention] as const))("%s", (_name, convention) => {
  test("every attribute is read or shown, or else named as unread", () => {
    expect(attributesSent(convention).filter((name) => !isTaken(name) && !isShownOnly(name))).toEqual([]);
  });

  test("no attribute that is read is named as unread", () => {
    // Flattened messages are read by prefix; other attributes under it hold none.
    const alone = Object.keys(convention.unread).filter((name) => !name.startsWith("gen_ai.prompt."));
    expect(alone.filter((name) => isTaken(name))).toEqual([]);
  });
});

test("the document is that of the conventions", () => {
  const document = readFileSync(path.resolve("docs/what-is-read.md"), "utf8");
  expect(document, "Run npm run docs:what-is-read.").toBe(whatIsRead());
});

test("an exporter's attributes are named in the conventions alone", () => {
  // Exceptions and names of events are of OpenTelemetry itself.
  const names = new Set(
    CONVENTIONS.flatMap(attributesSent).filter((name) => /[.:]/.test(name) && !/^(?:exception|event)\./.test(name)),
  );
  const outside = globSync("**/*.ts", { cwd: import.meta.dirname }).filter(
    (file) => !/^(?:conventions|testing)\/|\.test\.ts$/.test(file),
  );
  const found = outside.flatMap((file) => {
    const text = readFileSync(path.join(import.meta.dirname, file), "utf8");
    return [...text.matchAll(/"([^"\n]+)"/g)]
      .filter(([, name = ""]) => names.has(name))
      .map(([, name]) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});
