// @ts-check
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../system/paths.mjs";

/**
 * How long each test file takes, in seconds, so that runners start with the longest: otherwise one worker is still busy with
 * it when the others have nothing left to do. Renewed by `npm run test:durations`.
 */
const FILES = {
  /** Of Vitest and Playwright, by their path in the repository. */
  ours: inRoot("scripts/lib/testing/durations.json"),
  /** Of pytest, by their path in `trainer/`. */
  trainer: inRoot("trainer/tests/durations.json"),
};

/** @typedef {Record<string, number>} Durations */

/** @param {string} file @returns {any} */
const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};

/** Returns the seconds of each file of Vitest and Playwright that is known. @returns {Durations} */
export const durations = () => read(FILES.ours) ?? {};

/** @param {string} report of Vitest @returns {Durations} */
export const durationsOfVitest = (report) =>
  Object.fromEntries(
    (read(report)?.testResults ?? []).map((/** @type {any} */ { name, startTime, endTime }) => [
      path.relative(inRoot(), name),
      (endTime - startTime) / 1000,
    ]),
  );

/** @param {string} report of Playwright @returns {Durations} */
export function durationsOfPlaywright(report) {
  /** @param {any} suite @returns {any[]} */
  const specsIn = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsIn)];
  /** @type {Durations} */
  const seconds = {};
  for (const { file, tests } of (read(report)?.suites ?? []).flatMap(specsIn)) {
    const name = `e2e/${file}`;
    for (const { results } of tests)
      for (const { duration } of results) seconds[name] = (seconds[name] ?? 0) + duration / 1000;
  }
  return seconds;
}

/** @param {string} report as `trainer/pytest_tally.py` writes it @returns {Durations} */
export function durationsOfPytest(report) {
  /** @type {Durations} */
  const seconds = {};
  for (const { name, seconds: of } of read(report)?.tests ?? []) {
    const file = name.split("::")[0];
    seconds[file] = (seconds[file] ?? 0) + (of ?? 0);
  }
  return seconds;
}

/** Writes what was measured. A part that did not run keeps what it had. @param {{ours: Durations, trainer: Durations}} measured */
export function renewDurations(measured) {
  for (const kind of /** @type {const} */ (["ours", "trainer"])) {
    if (Object.keys(measured[kind]).length > 0) write(FILES[kind], { ...read(FILES[kind]), ...measured[kind] });
  }
}

/** Files of a tenth of a second or less are all alike, and would only change with every run. */
const WORTH_NOTING_SECONDS = 0.5;

/** @param {string} file @param {Durations} seconds */
function write(file, seconds) {
  const rows = Object.entries(seconds)
    .filter(([, of]) => of >= WORTH_NOTING_SECONDS)
    .map(([name, of]) => /** @type {const} */ ([name, Number(of.toFixed(1))]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}
