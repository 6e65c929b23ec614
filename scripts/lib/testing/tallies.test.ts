import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { summarize, tallyOf, tallyOfPlaywright, tallyOfPytest, tallyOfVitest } from "./tallies.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "whetstone-tally-"));
afterAll(() => rmSync(folder, { recursive: true }));

let reports = 0;
const report = (value: object) => {
  const file = path.join(folder, `report-${reports++}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
};
const vitest = (...statuses: string[]) =>
  report({ testResults: [{ assertionResults: statuses.map((status, n) => ({ status, fullName: `test ${n}` })) }] });

test("the last line is the sum of all parts", () => {
  const { lines, failed } = summarize([tallyOf("types", true), { part: "unit", passed: 40, failed: 2, skipped: [] }], {
    nothingMayBeSkipped: true,
  });
  expect(lines.at(-1)).toBe("41 passed, 2 failed");
  expect(failed).toBe(2);
});

test("a skipped test fails a run in which nothing may be skipped, unless it needs an Inngest server", () => {
  const skipped = ["jobs on an Inngest server › a retry", "something hard"];
  const tallies = [{ part: "db", passed: 1, failed: 0, skipped }];
  expect(summarize(tallies, { nothingMayBeSkipped: true })).toMatchObject({
    failed: 1,
    lines: expect.arrayContaining([
      "- skipped: jobs on an Inngest server › a retry",
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
    skipped: ["test 2", "test 3"],
  });
  const specs = [{ title: "seen" }, { title: "left out", tests: [{ status: "skipped" }] }];
  const suites = [
    { specs: [], suites: [{ specs: specs.map((spec) => ({ tests: [{ status: "expected" }], ...spec })) }] },
  ];
  const stats = { expected: 1, unexpected: 0, flaky: 1, skipped: 1 };
  expect(tallyOfPlaywright("browser", report({ suites, stats }), true)).toEqual({
    part: "browser",
    passed: 1,
    failed: 1,
    skipped: ["left out"],
  });
});

test("a run that fails without a failed test, or without a report, still counts as failed", () => {
  expect(tallyOfVitest("unit", vitest("passed"), false)).toMatchObject({ passed: 1, failed: 1 });
  expect(tallyOfVitest("unit", "/nowhere.json", true)).toMatchObject({ passed: 0, failed: 1 });
});

test("pytest's report is counted test by test, and a run that failed otherwise as one failure", () => {
  const tests = ["passed", "failed", "skipped", "passed"].map((outcome, n) => ({ name: `test ${n}`, outcome }));
  const counted = { passed: 2, failed: 1, skipped: ["test 2"] };
  expect(tallyOfPytest("trainer", report({ tests }), false)).toMatchObject(counted);
  expect(tallyOfPytest("trainer", report({ tests: [] }), false)).toMatchObject({ passed: 0, failed: 1 });
  expect(tallyOfPytest("trainer", path.join(folder, "absent.json"), true)).toMatchObject({ failed: 1 });
});
