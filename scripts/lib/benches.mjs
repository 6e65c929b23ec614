// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot, runTypeScript } from "./system/paths.mjs";

/** Those that measure in a migrated database of their own. The others start what they need, or need none. */
const IN_DATABASE = new Set(["stored-findings", "training-events"]);

const benchNames = () =>
  readdirSync(inRoot("bench"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.basename(file, ".ts"))
    .sort();

/**
 * Returns how a bench is called and what it measures: "`npm run bench -- NAME …`: what. …" at the start of its file's comment.
 * @param {string} name
 */
export function describeBench(name) {
  const source = readFileSync(inRoot("bench", `${name}.ts`), "utf8");
  const comment = /^\/\*\*(.*?)\*\//ms.exec(source)?.[1]?.replace(/\s*\n\s*\*\s?/g, " ") ?? "";
  const [, call = "", what = ""] = /`npm run bench -- ([^`]+)`[^:]*: (.*?)[.:;](?:\s|$)/.exec(comment) ?? [];
  return { name, call, what };
}

/** Returns the text that `npm run bench` prints without a name. */
export function listOfBenches() {
  const benches = benchNames().map(describeBench);
  return [
    "npm run bench -- NAME [arguments]",
    "",
    ...benches.map(({ call, what }) => `  ${call}\n      ${what}`),
    "",
    "Results: docs/benchmarks.md.",
  ].join("\n");
}

/**
 * Returns the arguments with which Node runs a bench, or nothing if there is none of that name.
 * @param {string} name @param {string[]} args
 */
export function runBench(name, args) {
  if (!benchNames().includes(name)) return undefined;
  const program = [...runTypeScript(), inRoot("bench", `${name}.ts`), ...args];
  return IN_DATABASE.has(name) ? [inRoot("scripts", "with-database.mjs"), "--", process.execPath, ...program] : program;
}
