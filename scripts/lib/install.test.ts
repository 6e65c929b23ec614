import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Entry = { version?: string; optionalDependencies?: Record<string, string> };

test("package-lock.json names the builds for all systems, without which `npm ci` refuses it", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };
  const names = new Set(
    Object.keys(lock.packages).map((key) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length)),
  );
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !names.has(name)),
  );
  expect(missing, "run: node scripts/complete-lock.mjs").toEqual([]);
});
