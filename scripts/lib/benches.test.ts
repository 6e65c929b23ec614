import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { describeBench, listOfBenches, runBench } from "./benches.mjs";

const names = readdirSync("bench")
  .filter((file) => file.endsWith(".ts"))
  .map((file) => path.basename(file, ".ts"));

test.each(names)("%s says how it is called and what it measures", (name) => {
  const { call, what } = describeBench(name);
  expect(call.split(" ")[0]).toBe(name);
  expect(what).not.toBe("");
});

test("without a name all benches are listed", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/bench.mjs"], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(stdout.trim()).toBe(listOfBenches());
});

test("an unknown name fails with the list", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/bench.mjs", "ingestion"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("There is no benchmark “ingestion”.");
  expect(stderr).toContain(listOfBenches());
});

test("a bench gets its arguments, in a database of its own if it needs one", () => {
  expect(runBench("chaos", ["--kills", "6"])?.slice(-3)).toEqual([path.resolve("bench/chaos.ts"), "--kills", "6"]);
  expect(runBench("training-events", [])?.slice(0, 3)).toEqual([
    path.resolve("scripts/with-database.mjs"),
    "--",
    process.execPath,
  ]);
});
