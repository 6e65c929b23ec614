// @ts-check
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";
import { once } from "../trainer/environments.mjs";
import { folderOfTool, installTool, pathOfTool } from "./python-tool.mjs";

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
export const nodeClientsPath = () => folderOfTool("node-clients", MANIFESTS);

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
