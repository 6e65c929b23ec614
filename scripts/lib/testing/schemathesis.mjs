// @ts-check
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { canInstallPackages, installPackage } from "../system/debian.mjs";
import { inRoot } from "../system/paths.mjs";
import { runLogged } from "../system/processes.mjs";
import { step } from "../system/say.mjs";
import { Trouble } from "../system/trouble.mjs";

const REQUIREMENTS = inRoot("e2e/schemathesis/requirements.txt");
const MAKES_ENVIRONMENTS = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/** Where one with exactly these versions is, or would be. */
export function schemathesisPath() {
  const versions = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 16);
  return inRoot("node_modules/.cache", `schemathesis-${versions}`, "bin/schemathesis");
}

const findPython = () => ["python3", "python"].find((name) => spawnSync(name, ["-c", MAKES_ENVIRONMENTS]).status === 0);

/** Gets schemathesis, in a Python environment of its own. @param {(name: string) => string} logFor @returns {Promise<string>} */
export async function schemathesisForTests(logFor) {
  const program = schemathesisPath();
  if (existsSync(program)) return program;
  if (!findPython() && canInstallPackages()) await installPackage("python3-venv", logFor);
  const python = findPython();
  if (!python) {
    throw new Trouble("The tests of /v1 need Python 3.10 or later with its venv module (Debian: python3-venv).");
  }
  const folder = path.dirname(path.dirname(program));
  const log = logFor("schemathesis");
  await step(
    "Installing schemathesis for the tests of /v1",
    async () => {
      const failed = "schemathesis could not be installed. Check the connection to the Python package index.";
      await runLogged(python, ["-m", "venv", "--clear", folder], { log, failed });
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
      await runLogged(path.join(folder, "bin/python"), pip, { log, failed }).catch((error) => {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      });
    },
    { log },
  );
  return program;
}
