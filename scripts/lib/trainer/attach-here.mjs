// @ts-check
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readSettings } from "../serving/settings.mjs";
import { holderOf } from "../system/lock.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { print } from "../system/print.mjs";
import { ended } from "../system/processes.mjs";

const LOOK_MS = 500;

/** Waits until Whetstone runs on a data folder, and returns its address on this machine. @param {string} dataDir */
async function addressOn(dataDir) {
  for (let tries = 0; ; tries += 1) {
    const { local, stopping } = holderOf(path.join(dataDir, "running.json")) ?? {};
    if (local && !stopping) return local;
    if (tries === 0)
      print(`Waiting for Whetstone on ${dataDir}: start it with npm start. For one elsewhere, use --agent URL.`);
    await sleep(LOOK_MS);
  }
}

/** Attaches a trainer to the Whetstone on this machine; returns its address and the trainer's key, which stays in DATA_DIR. */
export async function attachHere() {
  const { dataDir } = readSettings();
  const web = await addressOn(dataDir);
  const attaching = spawn(process.execPath, [inRoot("scripts/cli.mjs"), "trainer", "attach"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await ended(attaching)).code !== 0) throw new OperatorError("The trainer could not be attached; see above.");
  return { web, key: readFileSync(path.join(dataDir, "trainer-key"), "utf8").trim() };
}
