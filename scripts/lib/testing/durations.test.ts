import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { inRoot } from "../system/paths.mjs";
import { durationsOfPlaywright, durationsOfPytest, durationsOfVitest } from "./durations.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "whetstone-durations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const report = (value: object) => {
  const file = path.join(folder, "report.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
};

test("the seconds of a file are read from each runner's report", () => {
  const vitest = { testResults: [{ name: inRoot("db/a.test.ts"), startTime: 1000, endTime: 3500 }] };
  expect(durationsOfVitest(report(vitest))).toEqual({ "db/a.test.ts": 2.5 });

  const spec = (ms: number) => ({ file: "a.spec.ts", tests: [{ results: [{ duration: ms }] }] });
  const playwright = { suites: [{ specs: [spec(1500)], suites: [{ specs: [spec(500)] }] }] };
  expect(durationsOfPlaywright(report(playwright))).toEqual({ "e2e/a.spec.ts": 2 });

  const pytest = { tests: ["one", "two"].map((name) => ({ name: `tests/test_a.py::${name}`, seconds: 1.25 })) };
  expect(durationsOfPytest(report(pytest))).toEqual({ "tests/test_a.py": 2.5 });
});

test("a report that was not written has no durations", () => {
  const missing = path.join(folder, "missing.json");
  expect([durationsOfVitest(missing), durationsOfPlaywright(missing), durationsOfPytest(missing)]).toEqual([
    {},
    {},
    {},
  ]);
});
