// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { install } from "../building/install.mjs";
import { explain, OperatorError } from "../system/operator-error.mjs";
import { print } from "../system/print.mjs";
import { renewDurations } from "./durations.mjs";
import { browserTests, builtProduct, checks, databaseTests, trainerTests, unitTests } from "./parts.mjs";
import { Programs, stopOnSignal } from "./programs.mjs";
import { summarize } from "./tallies.mjs";
import { environmentOfTests } from "./test-environment.mjs";

const PARTS = ["verify", "unit", "db", "trainer", "e2e"];
const USAGE = `npm test -- [${PARTS.join("|")}] … [--long] [--renew-durations]`;

/** @param {string[]} args */
function readArguments(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { long: { type: "boolean", default: false }, "renew-durations": { type: "boolean", default: false } },
    });
    const wrong = positionals.filter((part) => !PARTS.includes(part));
    if (wrong.length === 0) return { parts: positionals, isLong: values.long, renews: values["renew-durations"] };
    console.error(`There is no part "${wrong.join(" ")}": ${USAGE}`);
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n${USAGE}`);
  }
  process.exit(1);
}

/** @param {string[]} args */
export async function runTests(args) {
  const { parts, isLong, renews } = readArguments(args);
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-test-"));
  const programs = new Programs(environmentOfTests(folder, { isLong }));
  stopOnSignal(programs);
  const run = { programs, folder, measured: { ours: {}, trainer: {} } };
  let keepsLogs = false;
  try {
    const tallies = await runParts(run, parts);
    if (programs.isStopped) throw new OperatorError("Stopped.");
    const { lines, failed } = summarize(tallies, { nothingMayBeSkipped: Boolean(process.env.CI) });
    print(`\n${lines.join("\n")}`);
    process.exitCode = failed ? 1 : 0;
    keepsLogs = failed > 0;
    if (renews) renewDurations(run.measured);
  } catch (error) {
    // The last line is the total even when the run could not begin.
    console.error(`\n${explain(error)}`);
    print("\n0 passed, 1 failed");
    process.exitCode = 1;
    keepsLogs = !programs.isStopped;
  } finally {
    await programs.endLeftovers();
    rmSync(keepsLogs ? path.join(folder, "tmp") : folder, { recursive: true, force: true });
  }
}

/**
 * Runs the parts: first what gives a verdict early, and nothing else if that fails. Then the database tests, while the product
 * is built and the trainer's tests, which wait a quarter of their time, use what the others leave of the processors. The browser
 * tests come last and alone, because they wait for what people wait for.
 * @param {import("./parts.mjs").Run} run @param {readonly string[]} parts none means all
 */
async function runParts(run, parts) {
  const wants = (/** @type {string} */ part) => parts.length === 0 || parts.includes(part);
  await install(path.join(run.folder, "install.log"));

  const early = [...(wants("verify") ? await checks(run) : []), ...(wants("unit") ? await unitTests(run) : [])];
  const late = ["db", "trainer", "e2e"].filter(wants);
  if (late.length === 0) return early;
  if (early.some(({ failed }) => failed > 0)) {
    print("\nThe other parts do not run before these pass.");
    return early;
  }

  const built = wants("e2e") ? builtProduct(run).catch(() => {}) : Promise.resolve(); // the browser tests report a failure
  const trainer = built.then(() => (wants("trainer") ? trainerTests(run, { inBackground: wants("db") }) : []));
  const database = wants("db") ? await databaseTests(run) : [];
  const trained = await trainer;
  const browser = wants("e2e") ? await browserTests(run) : [];
  return [...early, ...database, ...trained, ...browser];
}
