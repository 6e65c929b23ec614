// @ts-check
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { canInstallPackages, installPackage } from "../system/debian.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";
import { once, sharedFolder } from "../trainer/environments.mjs";

const MAKES_ENVIRONMENTS = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/**
 * A test tool from the Python package index.
 * @typedef {{name: string, program: string, requirements: string, purpose: string}} PythonTool
 */

/** Returns the folder of a tool in exactly the versions that some files name. @param {string} name @param {readonly string[]} files */
export function folderOfTool(name, files) {
  const versions = createHash("sha256");
  for (const file of files) versions.update(readFileSync(inRoot(file)));
  return path.join(sharedFolder("tools"), `${name}-${versions.digest("hex").slice(0, 16)}`);
}

/** Returns where the tool in exactly these versions is, or would be, installed. @param {PythonTool} tool */
export const pathOfTool = ({ name, program, requirements }) =>
  path.join(folderOfTool(name, [requirements]), "bin", program);

const findPython = () => ["python3", "python"].find((name) => spawnSync(name, ["-c", MAKES_ENVIRONMENTS]).status === 0);

/** Installs the tool in its own virtual environment. @param {PythonTool} tool @param {(name: string) => string} logFor @returns {Promise<string>} */
export async function installTool(tool, logFor) {
  const program = pathOfTool(tool);
  const folder = path.dirname(path.dirname(program));
  await once(folder, async () => {
    if (!findPython() && canInstallPackages()) await installPackage("python3-venv", logFor);
    const python = findPython();
    if (!python) {
      throw new OperatorError(`${tool.purpose} need Python 3.10 or later with its venv module (Debian: python3-venv).`);
    }
    const log = logFor(tool.name);
    const failed = `${tool.name} could not be installed. Check the connection to the Python package index.`;
    await step(
      `Installing ${tool.name}`,
      async () => {
        await runLogged(python, ["-m", "venv", "--clear", folder], { log, failed });
        const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", inRoot(tool.requirements)];
        await runLogged(path.join(folder, "bin/python"), pip, { log, failed });
      },
      { log },
    );
  });
  return program;
}
