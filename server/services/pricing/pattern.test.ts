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
  test("is searched for anywhere, in any case", () => {
    expect(compile("gpt-4").test("my-GPT-4o")).toBe(true);
    expect(compile("^gpt-4$").test("gpt-4o")).toBe(false);
  });

  test("speaks RE2's dialect: flags inside, but neither lookaround nor backreference", () => {
    expect(compile("(?i)^[[:alpha:]]+-\\d$").test("ABC-1")).toBe(true);
    for (const source of ["(?=a)", "(?<!a)b", "(a)\\1", "("])
      expect(reason(source), source).toContain("error parsing regexp");
  });

  test("is refused when it is long, repeats much, or its program is large", () => {
    expect(reason("a".repeat(PATTERN_MAX + 1))).toContain("longer than");
    for (const source of ["(?:a?){500}a{500}", "a?".repeat(300), "(?:(?:a{1,10}){1,10}){1,10}"]) {
      expect(reason(source), source).toContain("too complex");
    }
  });

  test("sees nothing in a subject that is no model's name by its length", () => {
    expect(compile("a").test("a".repeat(SUBJECT_MAX))).toBe(true);
    expect(compile("a").test("a".repeat(SUBJECT_MAX + 1))).toBe(false);
  });
});
