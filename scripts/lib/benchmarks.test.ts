import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { benchmarkResults, benchmarks } from "./benchmarks";

test("the page of benchmarks is what bench/results.json says", () => {
  const page = readFileSync(path.resolve("docs/benchmarks.md"), "utf8");
  expect(page, "Run npm run docs:benchmarks.").toBe(benchmarks());
});

test("every result names a bench that exists and a machine that is described", () => {
  const { machines, results } = benchmarkResults();
  const benches = results.map(({ bench }) => bench).filter((bench) => /^[a-z-]+$/.test(bench));
  expect(benches.filter((bench) => !existsSync(path.resolve(`bench/${bench}.ts`)))).toEqual([]);
  expect(results.filter(({ machine }) => machine !== null && !machines[machine])).toEqual([]);
});

test("a result is a line of its table, and a missed bound is said", () => {
  const { results } = benchmarkResults();
  const lines = benchmarks()
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Bench"));
  expect(lines).toHaveLength(results.length);
  expect(lines.filter((line) => line.includes("**missed**"))).toHaveLength(
    results.filter(({ met }) => met === false).length,
  );
});
