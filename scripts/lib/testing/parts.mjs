// @ts-check
import path from "node:path";
import { build } from "../building/build.mjs";
import { freePort } from "../database/postgres.mjs";
import { startTemporaryDatabase } from "../database/temporary-database.mjs";
import { canInstallPackages } from "../system/debian.mjs";
import { explain } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { print, tail } from "../system/print.mjs";
import { findPython, trainerEnvironments, variablesOf } from "../trainer/environments.mjs";
import { audit } from "./audit.mjs";
import { chromiumForTests } from "./chromium.mjs";
import { nodeClientsForTests, pythonClientsForTests } from "./clients.mjs";
import { commits } from "./commits.mjs";
import { durationsOfPlaywright, durationsOfPytest, durationsOfVitest } from "./durations.mjs";
import { poolerForTests } from "./pooler.mjs";
import { schemathesisForTests } from "./schemathesis.mjs";
import { seaweedfsForTests } from "./seaweedfs.mjs";
import { tallyOf, tallyOfPlaywright, tallyOfPytest, tallyOfVitest, tallyOfWhatIsMissing } from "./tallies.mjs";

/** @typedef {import("./tallies.mjs").Tally} Tally */
/** @typedef {import("./durations.mjs").Durations} Durations */
/**
 * What the parts of a run share. `folder`: for logs and reports; `measured`: how long each test file took.
 * @typedef {{programs: import("./programs.mjs").Programs, folder: string, measured: {ours: Durations, trainer: Durations}}} Run
 */

/** Checks that only pass or fail; their own output explains a failure. */
const CHECKS = [
  { part: "types", command: ["npm", "run", "--silent", "typecheck"] },
  { part: "format and lint", command: ["biome", "check", "--error-on-warnings"] },
  { part: "import rules", command: ["npm", "run", "--silent", "boundaries"] },
  { part: "unused code", command: ["knip"] },
];

/** The same kind of checks for the trainer: modules of its environment, run in its folder. */
const TRAINER_CHECKS = [
  { part: "trainer's format", command: ["ruff", "format", "--check", "."] },
  { part: "trainer's lint", command: ["ruff", "check", "."] },
  { part: "trainer's types", command: ["mypy"] },
];

/** By file, the longest first: trainings wait for processes that start, and one would leave a processor idle. */
const IN_TWO_PROCESSES = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"];

/** Below what people and browsers wait for. */
const BACKGROUND = 10;

/** @param {Run} run */
const logsOf =
  ({ folder }) =>
  (/** @type {string} */ name) =>
    path.join(folder, `${name}.log`);

/** Adds to a part's tallies how long the part took. @param {() => Promise<Tally[]>} work @returns {Promise<Tally[]>} */
async function timed(work) {
  const started = Date.now();
  const [first, ...more] = await work();
  return first ? [{ ...first, seconds: (Date.now() - started) / 1000 }, ...more] : [];
}

/** Runs one of the checks; its output is shown only if it fails. @param {Run} run @param {{part: string, command: string[]}} check */
const check = (run, { part, command }) =>
  timed(async () => {
    const log = logsOf(run)(part.replaceAll(" ", "-"));
    const ok = await run.programs.succeeds(command, { log });
    print(ok ? `✓ ${part}` : `✗ ${part}: ${command.join(" ")}\n${tail(log, 200)}`);
    return [tallyOf(part, ok)];
  });

/** Types take as long as all other checks together. @param {Run} run */
export async function checks(run) {
  const [types, ...others] = CHECKS;
  const one = check(run, /** @type {(typeof CHECKS)[number]} */ (types));
  /** @type {Tally[]} */
  const tallies = [];
  for (const other of others) tallies.push(...(await check(run, other)));
  tallies.push(...commits(), ...(await timed(async () => [await audit(run)])));
  return [...(await one), ...tallies];
}

/** @param {Run} run @param {"unit" | "db"} kind @param {Record<string, string>} [env] */
async function vitest(run, kind, env = {}) {
  const part = kind === "unit" ? "unit tests" : "database tests";
  const report = path.join(run.folder, `${kind}.json`);
  const command = ["vitest", "run", ...PROJECTS[kind].map((project) => `--project=${project}`)];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = await run.programs.succeeds([...command, ...reporters], { env });
  Object.assign(run.measured.ours, durationsOfVitest(report));
  return [tallyOfVitest(part, report, ok)];
}

/** Vitest's projects of each part; see vitest.config.ts. */
const PROJECTS = { unit: ["unit"], db: ["db", "db-isolated"] };

/** @param {Run} run */
export const unitTests = (run) => timed(() => vitest(run, "unit"));

/** @param {Run} run */
export const databaseTests = (run) =>
  timed(async () => {
    // Without Python the tests that need one of these are skipped, which CI counts as a failure.
    const trainer = (/** @type {(name: string) => string} */ logFor) =>
      trainerEnvironments(logFor, { compress: false });
    for (const install of [seaweedfsForTests, pythonClientsForTests, nodeClientsForTests, trainer]) {
      await install(logsOf(run)).catch((error) => print(explain(error)));
    }
    const database = await startTemporaryDatabase({ throwaway: true });
    try {
      return await vitest(run, "db", { TEST_DATABASE_URL: database.urlOf("postgres") });
    } finally {
      await database.stop();
    }
  });

/**
 * Runs the trainer's own tests, which really train, in the environments that `npx whetstone trainer` creates.
 * @param {Run} run @param {{inBackground: boolean}} options `inBackground`: shows the output at the end, and yields to other parts
 */
export const trainerTests = (run, { inBackground }) =>
  timed(async () => {
    const part = "trainer's tests";
    if (!findPython() && !canInstallPackages()) return [tallyOfWhatIsMissing(part, "Python 3.11 or later")];
    try {
      const environments = await trainerEnvironments(logsOf(run));
      const report = path.join(run.folder, "pytest.json");
      const log = inBackground ? logsOf(run)("trainer") : undefined;
      const python = (/** @type {readonly string[]} */ args) =>
        run.programs.succeeds([environments.python, "-m", ...args], {
          env: { ...variablesOf(environments), TALLY: report },
          cwd: inRoot("trainer"),
          log,
          niceness: inBackground ? BACKGROUND : 0,
        });
      /** @type {Tally[]} */
      const tallies = [];
      for (const { part, command } of TRAINER_CHECKS) {
        const ok = await python(command);
        if (log) print(ok ? `✓ ${part}` : `✗ ${part}\n${tail(log, 200)}`);
        tallies.push(tallyOf(part, ok));
      }
      const ok = await python(["pytest", "-q", ...IN_TWO_PROCESSES, "--durations=10", "-p", "pytest_tally"]);
      if (log) print(`\n— ${part}\n${tail(log, 200)}`);
      Object.assign(run.measured.trainer, durationsOfPytest(report));
      return [tallyOfPytest(part, report, ok), ...tallies];
    } catch (error) {
      console.error(explain(error));
      return [tallyOf(part, false)];
    }
  });

/** Builds the product for the browser tests. @param {Run} run */
export const builtProduct = (run) => build({ log: logsOf(run)("build") });

/** Runs the tests against the built product as it is started. @param {Run} run */
export const browserTests = (run) =>
  timed(async () => {
    const part = "browser and start tests";
    const report = path.join(run.folder, "playwright.json");
    try {
      const chromium = await chromiumForTests(logsOf(run));
      // Without Python its tests are skipped, which CI counts as a failure.
      await schemathesisForTests(logsOf(run)).catch((error) => print(explain(error)));
      await poolerForTests(logsOf(run)).catch((error) => print(explain(error)));
      await builtProduct(run);
      const ok = await run.programs.succeeds(["playwright", "test", "--reporter=list,json"], {
        env: {
          CHROMIUM_PATH: chromium,
          E2E_PORT: String(await freePort()),
          E2E_DATA_DIR: path.join(run.folder, "data"),
          PLAYWRIGHT_JSON_OUTPUT_NAME: report,
        },
      });
      Object.assign(run.measured.ours, durationsOfPlaywright(report));
      return [tallyOfPlaywright(part, report, ok)];
    } catch (error) {
      console.error(explain(error));
      return [tallyOf(part, false)];
    }
  });
