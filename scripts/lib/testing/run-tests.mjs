// @ts-check
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "../building/build.mjs";
import { install } from "../building/install.mjs";
import { freePort } from "../database/postgres.mjs";
import { startTemporaryDatabase } from "../database/temporary-database.mjs";
import { explain, OperatorError } from "../system/operator-error.mjs";
import { inRoot, withTools } from "../system/paths.mjs";
import { print } from "../system/print.mjs";
import { ended } from "../system/processes.mjs";
import { onStopSignal } from "../system/signals.mjs";
import { trainerEnvironments, variablesOf } from "../trainer/environments.mjs";
import { chromiumForTests } from "./chromium.mjs";
import { openAiPythonForTests } from "./openai-python.mjs";
import { schemathesisForTests } from "./schemathesis.mjs";
import { seaweedfsForTests } from "./seaweedfs.mjs";
import { summarize, tallyOf, tallyOfPlaywright, tallyOfPytest, tallyOfVitest } from "./tallies.mjs";

const PARTS = ["verify", "unit", "db", "trainer", "e2e"];

/** Checks that only pass or fail; their own output explains a failure. */
const CHECKS = [
  { part: "format and lint", command: ["biome", "check", "--error-on-warnings"] },
  { part: "types", command: ["npm", "run", "--silent", "typecheck"] },
  { part: "import rules", command: ["npm", "run", "--silent", "boundaries"] },
  { part: "unused code", command: ["knip"] },
];

/** The same kind of checks for the trainer: modules of its environment, run in its folder. */
const TRAINER_CHECKS = [
  { part: "trainer's format", command: ["ruff", "format", "--check", "."] },
  { part: "trainer's lint", command: ["ruff", "check", "."] },
  { part: "trainer's types", command: ["mypy"] },
];

/** Variables of the operator's own installation, removed for tests. */
const OURS_ALONE = [
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "DATA_DIR",
  "HOST",
  "PORT",
  "PUBLIC_URL",
  "WHETSTONE_SECRET",
  "WHETSTONE_SECRET_FILE",
  "NODE_ENV",
  "NODE_OPTIONS",
];

/** @param {string[]} asked */
export async function runTests(asked) {
  const wrong = asked.filter((part) => !PARTS.includes(part));
  if (wrong.length) {
    console.error(`There is no part "${wrong.join(" ")}": npm test -- [${PARTS.join("|")}] …`);
    process.exit(1);
  }
  const wanted = (/** @type {string} */ part) => asked.length === 0 || asked.includes(part);
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-test-"));
  try {
    const { lines, failed } = summarize(await run(wanted, folder), { nothingMayBeSkipped: Boolean(process.env.CI) });
    print(`\n${lines.join("\n")}`);
    process.exitCode = failed ? 1 : 0;
    if (!failed) rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // The last line is the total even when the run could not begin.
    console.error(`\n${explain(error)}`);
    print("\n0 passed, 1 failed");
    process.exitCode = 1;
  }
}

/** @param {(part: string) => boolean} wanted @param {string} folder for logs and reports */
async function run(wanted, folder) {
  const env = Object.fromEntries(Object.entries(withTools()).filter(([name]) => !OURS_ALONE.includes(name)));
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  let stopped = false;
  onStopSignal(() => {
    stopped = true;
    child?.kill("SIGINT"); // the signal on which Playwright and Vitest clean up
  });
  /** @param {string} title @param {readonly string[]} command @param {Record<string, string>} [more] @param {string} [cwd] */
  const succeeds = async (title, [program = "", ...args], more, cwd = inRoot()) => {
    if (stopped) throw new OperatorError("Stopped.");
    print(`\n— ${title}: ${[path.basename(program), ...args].join(" ")}`);
    const running = spawn(program, args, {
      cwd,
      env: /** @type {any} */ ({ ...env, ...more }),
      stdio: "inherit",
    });
    child = running;
    return (await ended(running)).code === 0;
  };
  const logFor = (/** @type {string} */ name) => path.join(folder, `${name}.log`);
  /** @type {import("./tallies.mjs").Tally[]} */
  const tallies = [];

  await install(logFor("install"));

  if (wanted("verify")) {
    for (const { part, command } of CHECKS) tallies.push(tallyOf(part, await succeeds(part, command)));
  }

  const kinds = ["unit", "db"].filter(wanted);
  if (kinds.length) {
    // Without Python the tests that need one of these are skipped, which CI counts as a failure.
    for (const install of kinds.includes("db") ? [seaweedfsForTests, openAiPythonForTests] : []) {
      await install(logFor).catch((error) => print(explain(error)));
    }
    const database = kinds.includes("db") ? await startTemporaryDatabase({ throwaway: true }) : undefined;
    const report = path.join(folder, "vitest.json");
    try {
      const command = [
        "vitest",
        "run",
        ...kinds.map((kind) => `--project=${kind}`),
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
      ];
      const ok = await succeeds(
        `${kinds.join(" and ")} tests`,
        command,
        database ? { TEST_DATABASE_URL: database.urlOf("postgres") } : {},
      );
      tallies.push(tallyOfVitest(`${kinds.join(" and ")} tests`, report, ok));
    } finally {
      await database?.stop();
    }
  }

  if (wanted("trainer")) tallies.push(...(await trainer()));
  if (wanted("e2e")) tallies.push(await endToEnd());
  return tallies;

  /** Runs the trainer's own tests, which really train, in the environments that `npm run trainer` creates. */
  async function trainer() {
    const part = "trainer's tests";
    try {
      const environments = await trainerEnvironments(logFor);
      const more = variablesOf(environments);
      const report = path.join(folder, "pytest.json");
      const python = (/** @type {string} */ title, /** @type {readonly string[]} */ args) =>
        succeeds(title, [environments.python, "-m", ...args], { ...more, TALLY: report }, inRoot("trainer"));
      const checks = [];
      for (const check of TRAINER_CHECKS) checks.push(tallyOf(check.part, await python(check.part, check.command)));
      const ok = await python(part, ["pytest", "-q", "--durations=10", "-p", "pytest_tally"]);
      return [...checks, tallyOfPytest(part, report, ok)];
    } catch (error) {
      console.error(explain(error));
      return [tallyOf(part, false)];
    }
  }

  /** Runs the tests against the built product as it is started. */
  async function endToEnd() {
    const part = "browser and start tests";
    const report = path.join(folder, "playwright.json");
    try {
      const chromium = await chromiumForTests(logFor);
      // Without Python its tests are skipped, which CI counts as a failure.
      await schemathesisForTests(logFor).catch((error) => print(explain(error)));
      await build({ log: logFor("build") });
      const ok = await succeeds(part, ["playwright", "test", "--reporter=list,json"], {
        CHROMIUM_PATH: chromium,
        E2E_PORT: String(await freePort()),
        E2E_DATA_DIR: path.join(folder, "data"),
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      });
      return tallyOfPlaywright(part, report, ok);
    } catch (error) {
      console.error(explain(error));
      return tallyOf(part, false);
    }
  }
}
