import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  summarize,
  tallyOf,
  tallyOfPlaywright,
  tallyOfPytest,
  tallyOfVitest,
  tallyOfWhatIsMissing,
} from "./tallies.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "whetstone-tally-"));
afterAll(() => rmSync(folder, { recursive: true }));

let reports = 0;
const report = (value: object) => {
  const file = path.join(folder, `report-${reports++}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
};
const vitest = (...statuses: string[]) => {
  const assertionResults = statuses.map((status, n) => ({
    status,
    fullName: `test ${n}`,
    failureMessages: status === "failed" ? ["AssertionError: expected 1 to be 2\n    at a line"] : [],
  }));
  return report({ testResults: [{ name: "a.test.ts", assertionResults }] });
};

test("the last line is the sum of all parts", () => {
  const { lines, failed } = summarize(
    [tallyOf("types", true), { part: "unit", passed: 40, failed: 2, failures: [], skipped: [] }],
    { nothingMayBeSkipped: true },
  );
  expect(lines.at(-1)).toBe("41 passed, 2 failed");
  expect(failed).toBe(2);
});

test("a skipped test fails a run in which nothing may be skipped, unless it needs a server that may be missing", () => {
  const mayBeSkipped = [
    "jobs on an Inngest server › a retry",
    "known vulnerabilities: a registry that answers npm audit (405) is missing",
  ];
  const skipped = [...mayBeSkipped, "something hard"];
  const tallies = [{ part: "db", passed: 1, failed: 0, failures: [], skipped }];
  expect(summarize(tallies, { nothingMayBeSkipped: true })).toMatchObject({
    failed: 1,
    lines: expect.arrayContaining([
      ...mayBeSkipped.map((name) => `- skipped: ${name}`),
      "✗ skipped, which counts as failed here: something hard",
    ]),
  });
  expect(summarize(tallies, { nothingMayBeSkipped: false }).failed).toBe(0);
});

test("Vitest's and Playwright's reports are counted test by test", () => {
  expect(tallyOfVitest("unit", vitest("passed", "failed", "pending", "todo"), false)).toEqual({
    part: "unit",
    passed: 1,
    failed: 1,
    failures: ["test 1\n    AssertionError: expected 1 to be 2\n        at a line"],
    skipped: ["test 2", "test 3"],
  });
  const repeated = { status: "flaky", results: [{ error: { message: "\u001b[31mtoo late\u001b[39m" } }, {}] };
  const specs = [
    { title: "seen" },
    { title: "left out", tests: [{ status: "skipped" }] },
    { title: "late", file: "a.spec.ts", tests: [repeated] },
  ];
  const suites = [
    { specs: [], suites: [{ specs: specs.map((spec) => ({ tests: [{ status: "expected" }], ...spec })) }] },
  ];
  const stats = { expected: 1, unexpected: 0, flaky: 1, skipped: 1 };
  expect(tallyOfPlaywright("browser", report({ suites, stats }), true)).toEqual({
    part: "browser",
    passed: 2,
    failed: 0,
    failures: [],
    repeated: ["a.spec.ts › late\n    too late"],
    skipped: ["left out"],
  });
});

test("a run ends with the names and messages of failed tests, and of files that did not load", () => {
  const files = [{ name: "b.test.ts", status: "failed", message: "Cannot find module", assertionResults: [] }];
  const { lines } = summarize(
    [
      tallyOfVitest("unit", vitest("passed", "failed"), false),
      tallyOfVitest("db", report({ testResults: files }), false),
    ],
    { nothingMayBeSkipped: true },
  );
  expect(lines).toEqual([
    "✗ unit: 1 passed, 1 failed",
    "✗ db: 0 passed, 1 failed",
    "✗ failed: test 1\n    AssertionError: expected 1 to be 2\n        at a line",
    "✗ failed: b.test.ts\n    Cannot find module",
    "",
    "1 passed, 2 failed",
  ]);
});

test("a test that passed only at its second try is named, and does not fail the run", () => {
  const tallies = [{ ...tallyOf("browser", true), repeated: ["a.spec.ts › late\n    too late"] }];
  const { lines, failed } = summarize(tallies, { nothingMayBeSkipped: true });
  expect(lines).toContain("! passed only at the second try, to be mended: a.spec.ts › late\n    too late");
  expect(failed).toBe(0);
});

test("a run that fails without a failed test, or without a report, still counts as failed", () => {
  expect(tallyOfVitest("unit", vitest("passed"), false)).toMatchObject({ passed: 1, failed: 1 });
  expect(tallyOfVitest("unit", "/nowhere.json", true)).toMatchObject({ passed: 0, failed: 1 });
});

test("pytest's report is counted test by test, and a run that failed otherwise as one failure", () => {
  const tests = ["passed", "failed", "skipped", "passed"].map((outcome, n) => ({ name: `test ${n}`, outcome }));
  const counted = { passed: 2, failed: 1, failures: ["test 1"], skipped: ["test 2"] };
  expect(tallyOfPytest("trainer", report({ tests }), false)).toMatchObject(counted);
  expect(tallyOfPytest("trainer", report({ tests: [] }), false)).toMatchObject({ passed: 0, failed: 1 });
  expect(tallyOfPytest("trainer", path.join(folder, "absent.json"), true)).toMatchObject({ failed: 1 });
});

test("a part that cannot run here is named, and counts as failed where nothing may be skipped", () => {
  const tallies = [tallyOfWhatIsMissing("trainer's tests", "Python 3.11 or later")];
  expect(summarize(tallies, { nothingMayBeSkipped: false }).lines).toEqual([
    "✓ trainer's tests: 0 passed",
    "- skipped: trainer's tests: Python 3.11 or later is missing",
    "",
    "0 passed, 0 failed",
  ]);
  expect(summarize(tallies, { nothingMayBeSkipped: true }).failed).toBe(1);
});

test("a part says how long it took", () => {
  const { lines } = summarize([{ ...tallyOf("types", true), seconds: 65.4 }], { nothingMayBeSkipped: true });
  expect(lines[0]).toBe("✓ types: 1 passed (1:05 min)");
});
