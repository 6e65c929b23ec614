// @ts-check
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/**
 * The results of one part of the tests. `failures`: what is known of failed tests, each with its name first; `failed` also
 * counts what no test reports. `repeated`: likewise of tests that passed at their second try. `skipped`: the names of tests that
 * did not run. `seconds`: how long it took, if that was measured.
 * @typedef {{part: string, passed: number, failed: number, failures: string[], repeated?: string[], skipped: string[],
 *   seconds?: number}} Tally
 */

/** What needs a server that is not available everywhere: only this may CI skip. */
const MAY_BE_SKIPPED = /inngest server|a registry that answers npm audit/i;

/** @param {string} part @param {boolean} ok @returns {Tally} */
export const tallyOf = (part, ok) => ({
  part,
  passed: ok ? 1 : 0,
  failed: ok ? 0 : 1,
  failures: [],
  skipped: [],
});

/** Returns the results of a part that cannot run here. @param {string} part @param {string} missing @returns {Tally} */
export const tallyOfWhatIsMissing = (part, missing) => ({
  part,
  passed: 0,
  failed: 0,
  failures: [],
  skipped: [`${part}: ${missing} is missing`],
});

/** Counts a failed run as at least one failure, even if no test reports it (a file that does not load). */
const withExit = (/** @type {Tally} */ tally, /** @type {boolean} */ ok) => ({
  ...tally,
  failed: ok ? tally.failed : Math.max(1, tally.failed),
});

const MESSAGE_LINES = 8;
/** Describes a failed test by its name and the beginning of its message. @param {string} name @param {string} [message] */
const failure = (name, message = "") => {
  const lines = stripVTControlCharacters(message).split("\n").filter(Boolean).slice(0, MESSAGE_LINES);
  return [name, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join("\n");
};

/** @param {string} file @returns {any} */
const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};

/** @param {string} part @param {string} file @param {boolean} ok @returns {Tally} */
export function tallyOfVitest(part, file, ok) {
  const report = readReport(file);
  if (!report) return tallyOf(part, false);
  const tests = report.testResults.flatMap((/** @type {any} */ { assertionResults }) => assertionResults);
  const named = (/** @type {string[]} */ ...statuses) =>
    tests.filter((/** @type {any} */ { status }) => statuses.includes(status));
  /** A file that does not load has a message of its own and no tests. */
  const broken = report.testResults.filter(
    (/** @type {any} */ file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  return withExit(
    {
      part,
      passed: named("passed").length,
      failed: named("failed").length,
      failures: [
        ...named("failed").map((/** @type {any} */ test) => failure(test.fullName, test.failureMessages?.join("\n"))),
        ...broken.map((/** @type {any} */ { name, message }) => failure(name, message)),
      ],
      skipped: named("pending", "skipped", "todo", "disabled").map((/** @type {any} */ { fullName }) => fullName),
    },
    ok,
  );
}

/** @param {string} part @param {string} file @param {boolean} ok @returns {Tally} */
export function tallyOfPlaywright(part, file, ok) {
  const report = readReport(file);
  if (!report) return tallyOf(part, false);
  /** @param {any} suite @returns {any[]} */
  const specsIn = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsIn)];
  const specs = report.suites.flatMap(specsIn);
  const skipped = specs.filter((/** @type {any} */ spec) =>
    spec.tests.every((/** @type {any} */ test) => test.status === "skipped"),
  );
  const failuresWith = (/** @type {string} */ wanted) =>
    specs.flatMap((/** @type {any} */ { file, title, tests }) => {
      const test = tests.find((/** @type {any} */ { status }) => status === wanted);
      const message = test?.results.find((/** @type {any} */ { error }) => error)?.error.message;
      return test ? [failure(`${file} › ${title}`, message)] : [];
    });
  const { expected, unexpected, flaky } = report.stats;
  return withExit(
    {
      part,
      passed: expected + flaky,
      failed: unexpected,
      failures: failuresWith("unexpected"),
      repeated: failuresWith("flaky"),
      skipped: skipped.map((/** @type {any} */ { title }) => title),
    },
    ok,
  );
}

/** @param {string} part @param {string} file as `trainer/pytest_tally.py` writes it @param {boolean} ok @returns {Tally} */
export function tallyOfPytest(part, file, ok) {
  const report = readReport(file);
  if (!report) return tallyOf(part, false);
  const named = (/** @type {string} */ wanted) =>
    report.tests.filter((/** @type {any} */ { outcome }) => outcome === wanted);
  return withExit(
    {
      part,
      passed: named("passed").length,
      failed: named("failed").length,
      failures: named("failed").map((/** @type {any} */ { name, message }) => failure(name, message)),
      skipped: named("skipped").map((/** @type {any} */ { name }) => name),
    },
    ok,
  );
}

/** @param {number} [seconds] */
const took = (seconds) => {
  if (seconds === undefined) return "";
  const whole = Math.round(seconds);
  return ` (${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min)`;
};

/** Returns the report that ends a run. @param {readonly Tally[]} tallies @param {{nothingMayBeSkipped: boolean}} rules */
export function summarize(tallies, { nothingMayBeSkipped }) {
  const skipped = tallies.flatMap((tally) => tally.skipped);
  const wrongly = nothingMayBeSkipped ? skipped.filter((name) => !MAY_BE_SKIPPED.test(name)) : [];
  const total = (/** @type {"passed" | "failed"} */ what) => tallies.reduce((sum, tally) => sum + tally[what], 0);
  const failed = total("failed") + wrongly.length;
  const lines = [
    ...tallies.map(
      ({ part, passed, failed, seconds }) =>
        `${failed ? "✗" : "✓"} ${part}: ${passed} passed${failed ? `, ${failed} failed` : ""}${took(seconds)}`,
    ),
    ...tallies.flatMap(({ failures }) => failures.map((text) => `✗ failed: ${text}`)),
    ...tallies.flatMap(({ repeated = [] }) =>
      repeated.map((text) => `! passed only at the second try, to be mended: ${text}`),
    ),
    ...skipped.map(
      (name) => `${wrongly.includes(name) ? "✗ skipped, which counts as failed here" : "- skipped"}: ${name}`,
    ),
    "",
    `${total("passed")} passed, ${failed} failed`,
  ];
  return { lines, failed };
}
