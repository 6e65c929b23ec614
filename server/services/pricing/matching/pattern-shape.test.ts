import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { patternShape } from "./pattern-shape";

describe("how specific a pattern is", () => {
  test.each([
    ["^gpt-4o-mini$", 11],
    ["(?i)^gpt-4[.-]1$", 6],
    ["^gpt-.*", 4],
    [".*", 0],
    ["^(?:claude|claude-opus)-4$", 8],
    ["ab?c*d+e{3}", 5],
    ["\\d+\\.\\pL[a-z]\\Qa.b\\E", 3],
  ])("%s: %i", (source, fewest) => expect(patternShape(source).fewestLiterals).toBe(fewest));
});

describe("what a match begins with", () => {
  test.each([
    ["^gpt-4o$", ["gpt-4o"], true],
    ["(?i)^(?:GPT|o)-4(?:-\\d+)?$", ["gpt-4", "gpt-4-", "o-4", "o-4-"], true],
    ["claude-3", ["claude-3"], false],
    ["^a|b", ["a", "b"], false],
    ["(?m)^a", ["a"], false],
    ["^.*-sonnet", [""], true],
    ["x{2}y", ["x"], false],
  ] as const)("%s: %j", (source, heads, anchored) => expect(patternShape(source)).toMatchObject({ heads, anchored }));

  const piece = fc.constantFrom(
    ..."a b - . ^ $ | ? * + \\d \\. \\x61 \\141 \\Qb.\\E \\b \\pL [ab] [^a] [[:alpha:]] (?:a|b) (?i) (?m:^a) (ab) {2} {0,1} a{0} (?P<n>b) é K".split(
      " ",
    ),
  );
  const patterns = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  const subjects = fc
    .array(fc.constantFrom("a", "b", "-", ".", "1", "\n", "k"), { maxLength: 8 })
    .map((chars) => chars.join(""));

  test("never excludes a subject that RE2 matches", () => {
    fc.assert(
      fc.property(patterns, subjects, (source, subject) => {
        let matches: boolean;
        try {
          matches = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).test(subject);
        } catch {
          return; // not a pattern
        }
        const { heads, anchored, fewestLiterals } = patternShape(source);
        const possible = heads.some((head) => (anchored ? subject.startsWith(head) : subject.includes(head)));
        if (matches)
          expect([source, subject, possible, fewestLiterals <= subject.length]).toEqual([source, subject, true, true]);
      }),
      { numRuns: 3_000 },
    );
  });
});
