import { describe, expect, test } from "vitest";
import { compilePattern, isPattern } from "../matching/pattern";
import { matchPatternOf, namesIn, spellings } from "./name-patterns";

function matches(source: string, name: string) {
  const pattern = compilePattern(source);
  if (!isPattern(pattern)) throw new Error(pattern.error);
  return pattern.test(name);
}

describe("reading the catalogue's match logic", () => {
  test("separates exact names and prefixes, and ignores exclusions", () => {
    const logic = {
      or: [{ equals: "a-1" }, { and: [{ starts_with: "b-" }, { regex: "^(?!.*-tts)" }] }, { contains: "c-2@" }],
    };
    expect(namesIn(logic)).toEqual({ names: ["a-1"], stems: ["b", "c-2"] });
  });

  test("reads a name with a date out of a pattern, and throws on an unknown kind of pattern", () => {
    expect(namesIn({ regex: "^grok-4\\.3-\\d{8}$" })).toEqual({ names: ["grok-4.3"], stems: [] });
    expect(() => namesIn({ regex: "(foo|bar)+" })).toThrow("unknown kind of pattern");
  });
});

test("spellings include versions with dots or dashes, Claude's parts in either order, Azure's 3.5 without the dot and dates without dashes", () => {
  expect(spellings("openai", "gpt-4o-2024-05-13")).toEqual(["gpt-4o-2024-05-13", "gpt-4o-20240513"]);
  expect(spellings("openai", "gpt-5.4-mini")).toEqual(["gpt-5.4-mini", "gpt-5-4-mini"]);
  expect(spellings("xai", "grok-4-1-fast")).toEqual(["grok-4-1-fast", "grok-4.1-fast"]);
  for (const name of ["moonshot-v1-8k", "grok-4-0709", "gpt-4-1106-preview", "ministral-8b-2410"])
    expect(spellings("xai", name)).toEqual([name]);
  expect(spellings("openai", "gpt-3.5-turbo")).toContain("gpt-35-turbo");
  expect(spellings("anthropic", "claude-opus-4-5")).toEqual(
    expect.arrayContaining(["claude-opus-4.5", "claude-4.5-opus", "claude-4-5-opus"]),
  );
});

describe("a generated pattern", () => {
  const gpt = matchPatternOf("openai", { names: ["gpt-9.1"], stems: [] });
  test("matches a dated snapshot but not an unknown sibling", () => {
    expect(matches(gpt, "gpt-9.1-2026-01-31")).toBe(true);
    expect(matches(gpt, "GPT-9-1")).toBe(true);
    for (const other of [
      "gpt-9.1-mini",
      "gpt-9.10",
      "gpt-9.1-2026-13-01",
      "my-gpt-9.1",
      "gpt-9.1x",
      "gpt-9.1-latest",
    ]) {
      expect(matches(gpt, other), other).toBe(false);
    }
  });

  test("without dates matches the vendor's other suffixes and dates that are part of a name", () => {
    const listed = { names: ["gpt-9", "gpt-9-2026-01-31"], stems: ["gpt-9-nano"] };
    const undated = matchPatternOf("openai", listed, false);
    for (const name of ["gpt-9", "gpt-9-2026-01-31", "gpt-9-nano", "gpt-9-nano-preview"]) {
      expect(matches(undated, name), name).toBe(true);
    }
    for (const name of ["gpt-9-2026-02-01", "gpt-9-20260201", "gpt-9-nano-2026-02-01"]) {
      expect(matches(undated, name), name).toBe(false);
    }
    expect(() => matchPatternOf("xai", listed, false)).toThrow("add the vendor to UNDATED_TAILS");
  });

  test("omits names that another branch already matches", () => {
    expect(matchPatternOf("openai", { names: ["gpt-9.1-2026-01-31", "gpt-9-1", "gpt-9.1"], stems: [] })).toBe(gpt);
  });

  test("matches fine-tunes of listed bases only", () => {
    const tuned = matchPatternOf("openai", { names: ["ft:gpt-9"], stems: ["ft:gpt-9"] });
    expect(matches(tuned, "ft:gpt-9-2026-01-31:acme::abc1")).toBe(true);
    expect(matches(tuned, "ft:gpt-9-2026-01-31")).toBe(true);
    expect(matches(tuned, "ft:gpt-9-mini-2026-01-31:acme::abc1")).toBe(false);
  });
});
