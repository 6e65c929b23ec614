// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "../building/build.mjs";
import { install } from "../building/install.mjs";
import { freePort } from "../database/postgres.mjs";
import { startTemporaryDatabase } from "../database/temporary-database.mjs";
import { explain, OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { print, tail } from "../system/print.mjs";
import { trainerEnvironments, variablesOf } from "../trainer/environments.mjs";
import { chromiumForTests } from "./chromium.mjs";
import { Programs, stopOnSignal } from "./programs.mjs";
import { environmentOfTests } from "./test-environment.mjs";

const TIMES = 20;
const USAGE = "npm run test:flaky -- [--times 20] [FILE …]";
/** Of a failed run's output, what is shown. */
const LINES_SHOWN = 60;

/**
 * A kind of test: which files it is, and how these are run once.
 * @typedef {{files: RegExp, prepare: (context: Context) => Promise<{command: (files: string[]) => string[], env?: Record<string, string>, cwd?: string, end?: () => Promise<void>}>}} Kind
 * @typedef {{folder: string, logFor: (name: string) => string}} Context
 */

/** @type {Kind[]} */
const KINDS = [
  {
    files: /^e2e\/.*\.spec\.ts$/,
    async prepare({ folder, logFor }) {
      const chromium = await chromiumForTests(logFor);
      await build({ log: logFor("build") });
      const env = {
        CHROMIUM_PATH: chromium,
        E2E_PORT: String(await freePort()),
        E2E_DATA_DIR: path.join(folder, "data"),
      };
      return { command: (files) => ["playwright", "test", "--reporter=list", ...files], env };
    },
  },
  {
    files: /\.test\.tsx?$/,
    async prepare() {
      const database = await startTemporaryDatabase({ throwaway: true });
      return {
        command: (files) => ["vitest", "run", "--reporter=default", ...files],
        env: { TEST_DATABASE_URL: database.urlOf("postgres") },
        end: database.stop,
      };
    },
  },
  {
    files: /^trainer\/tests\/test_\w+\.py$/,
    async prepare({ logFor }) {
      const environments = await trainerEnvironments(logFor);
      return {
        command: (files) => [
          environments.python,
          ...["-m", "pytest", "-q"],
          ...files.map((file) => path.relative("trainer", file)),
        ],
        env: variablesOf(environments),
        cwd: inRoot("trainer"),
      };
    },
  },
];

const isTest = (/** @type {string} */ file) => KINDS.some(({ files }) => files.test(file));

/** Returns the test files that differ from what the remote has, or else from the last commit. */
function changedTests() {
  const git = (/** @type {string[]} */ ...args) => {
    const { stdout, status } = spawnSync("git", args, { cwd: inRoot(), encoding: "utf8" });
    return status === 0 ? stdout.split("\n").filter(Boolean) : [];
  };
  const [base = "HEAD"] = git("merge-base", "HEAD", "@{upstream}");
  const files = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
  return files.filter((file) => isTest(file) && existsSync(inRoot(file)));
}

/** @param {string[]} args */
function readArguments(args) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { times: { type: "string" } } });
  const files = positionals.length
    ? positionals.map((file) => path.relative(inRoot(), path.resolve(process.env.INIT_CWD ?? ".", file)))
    : changedTests();
  const times = Number(values.times ?? TIMES);
  const wrong = files.find((file) => !isTest(file) || !existsSync(inRoot(file)));
  if (wrong) throw new OperatorError(`${wrong} is no test file: ${USAGE}`);
  if (files.length === 0) throw new OperatorError(`No test file has changed: ${USAGE}`);
  if (!Number.isInteger(times) || times < 1) throw new OperatorError(`--times must be a whole number: ${USAGE}`);
  return { files: [...new Set(files)], times };
}

/** Keeps every processor busy until it is released, as other work on the machine would. */
function load() {
  const busy = Array.from({ length: availableParallelism() }, () =>
    // Ends by itself when we are gone.
    spawn(
      process.execPath,
      ["-e", "const p = process.ppid; for (let n = 0; ; n++) if (n % 1e7 === 0 && process.ppid !== p) break;"],
      {
        stdio: "ignore",
      },
    ),
  );
  return () => {
    for (const one of busy) one.kill("SIGKILL");
  };
}

/** @param {string[]} args */
export async function repeatTests(args) {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-test-"));
  const programs = new Programs(environmentOfTests(folder));
  stopOnSignal(programs);
  let [passed, failed] = [0, 0];
  try {
    const { files, times } = readArguments(args);
    const context = { folder, logFor: (/** @type {string} */ name) => path.join(folder, `${name}.log`) };
    await install(context.logFor("install"));
    for (const [nth, kind] of KINDS.entries()) {
      const theirs = files.filter((file) => KINDS.findIndex((one) => one.files.test(file)) === nth);
      if (theirs.length === 0) continue;
      print(`\n${theirs.join("\n")}`);
      const { command, env = {}, cwd, end } = await kind.prepare(context);
      try {
        for (let run = 1; run <= times; run++) {
          const isLoaded = run > times / 2;
          const release = isLoaded ? load() : () => {};
          const log = context.logFor(`run-${nth}-${run}`);
          const ok = await programs.succeeds(command(theirs), { env, cwd, log }).finally(release);
          if (ok) passed += 1;
          else failed += 1;
          print(
            `${ok ? "✓" : "✗"} ${run} of ${times}${isLoaded ? ", under load" : ""}${ok ? "" : `\n${tail(log, LINES_SHOWN)}`}`,
          );
        }
      } finally {
        await end?.();
      }
    }
  } catch (error) {
    console.error(`\n${explain(error)}`);
    failed += 1;
  } finally {
    await programs.endLeftovers();
    rmSync(failed > 0 && !programs.isStopped ? path.join(folder, "tmp") : folder, { recursive: true, force: true });
  }
  print(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}
