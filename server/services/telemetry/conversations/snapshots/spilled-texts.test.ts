import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SpilledTexts } from "./spilled-texts";

const MIB = 1024 * 1024;

test("long texts of any content and size are returned as they were, in any order, also inside others", () => {
  const texts = new SpilledTexts();
  const kept = [
    "short",
    "é\u{1F600}".repeat(200),
    `\uD83D${"half a pair ".repeat(50)}`,
    "x".repeat(3 * MIB),
    "$& $1 ".repeat(99),
  ];
  const references = kept.map((text) => texts.put(text));

  expect(references.map((reference) => reference.length < 100)).toEqual(kept.map(() => true));
  expect(references.map((reference) => texts.get(reference)).reverse()).toEqual(kept.toReversed());
  expect(texts.get(`${references[1]}\n${references[4]}`)).toBe(`${kept[1]}\n${kept[4]}`);
  texts.close();
});

test("the texts of many conversations at once are separate, and none leaves a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-test-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const [one, other] = [new SpilledTexts(), new SpilledTexts()];
  const reference = one.put("a".repeat(1000));
  other.put("b".repeat(1000));

  expect(one.get(reference)).toBe("a".repeat(1000));
  expect(other.get(reference)).toBe(reference);
  expect(readdirSync(folder)).toEqual([]);
  one.close();
  other.close();
});
