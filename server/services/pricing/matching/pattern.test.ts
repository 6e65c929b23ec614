import { describe, expect, test } from "vitest";
import { compilePattern, isPattern, PATTERN_MAX, SUBJECT_MAX } from "./pattern";

function compile(source: string) {
  const pattern = compilePattern(source);
  if (!isPattern(pattern)) throw new Error(pattern.error);
  return pattern;
}
const reason = (source: string) => {
  const pattern = compilePattern(source);
  return isPattern(pattern) ? null : pattern.error;
};

describe("a pattern", () => {
  test("matches anywhere, in any case", () => {
    expect(compile("gpt-4").test("my-GPT-4o")).toBe(true);
    expect(compile("^gpt-4$").test("gpt-4o")).toBe(false);
  });

  test("uses RE2 syntax, with inline flags but without lookaround and backreferences", () => {
    expect(compile("(?i)^[[:alpha:]]+-\\d$").test("ABC-1")).toBe(true);
    for (const [source, words] of [
      ["(?=a)", /^At character 1: RE2 has no lookaround/],
      ["ab(?<!a)b", /^At character 3: RE2 has no lookaround/],
      ["(a)\\1", /^At character 4: RE2 has no backreferences/],
      ["a(?>b)", /^At character 2: RE2 has no atomic groups/],
      ["a*+", /^At character 2: RE2 has no possessive/],
    ] as const)
      expect(reason(source), source).toMatch(words);
  });

  test("reports the position of an error, counting characters from 1", () => {
    for (const [source, words] of [
      ["ab(c(d)", "At character 3: missing closing )."],
      ["ab)c", "At character 3: unexpected )."],
      ["x[b-a]", "At character 3: invalid character class range: b-a."],
      ["abc\\", "At character 4: trailing backslash at end of expression."],
      ["a{1001}", /^The pattern is too complex/],
    ] as const)
      expect(reason(source), source).toMatch(words);
  });

  test("is rejected when it is too long, has too many repetitions or compiles to too large a program", () => {
    expect(reason("a".repeat(PATTERN_MAX + 1))).toContain("longer than");
    for (const source of ["(?:a?){500}a{500}", "a?".repeat(300), "(?:(?:a{1,10}){1,10}){1,10}"]) {
      expect(reason(source), source).toContain("too complex");
    }
  });

  test("does not match a subject longer than any model name", () => {
    expect(compile("a").test("a".repeat(SUBJECT_MAX))).toBe(true);
    expect(compile("a").test("a".repeat(SUBJECT_MAX + 1))).toBe(false);
  });
});
