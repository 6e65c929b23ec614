// @ts-check
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";
import { once, sharedFolder } from "../trainer/environments.mjs";
import { installTool, pathOfTool } from "./python-tool.mjs";

/** A Python with the model clients that people send telemetry with. */
const PYTHON = {
  name: "python-clients",
  program: "python",
  requirements: "testbed/clients/requirements.txt",
  purpose: "The tests with model clients in Python",
};

export const clientsPythonPath = () => pathOfTool(PYTHON);

/** @param {(name: string) => string} logFor */
export const pythonClientsForTests = (logFor) => installTool(PYTHON, logFor);

const MANIFESTS = ["package.json", "package-lock.json"].map((name) => `testbed/clients/${name}`);

/** Returns the folder whose `node_modules` has the newest model clients, which this repository's own need not be. */
export function nodeClientsPath() {
  const hash = createHash("sha256");
  for (const manifest of MANIFESTS) hash.update(readFileSync(inRoot(manifest)));
  return path.join(sharedFolder("tools"), `node-clients-${hash.digest("hex").slice(0, 16)}`);
}

/** @param {(name: string) => string} logFor */
export async function nodeClientsForTests(logFor) {
  const folder = nodeClientsPath();
  await once(folder, async () => {
    mkdirSync(folder, { recursive: true });
    for (const manifest of MANIFESTS) copyFileSync(inRoot(manifest), path.join(folder, path.basename(manifest)));
    const log = logFor("node-clients");
    const failed = "The model clients in JavaScript could not be installed. Check the connection to the npm registry.";
    const npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder];
    await step("Installing node-clients", () => runLogged("npm", npm, { log, failed }), { log });
  });
  return folder;
}
