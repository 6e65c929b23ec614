// @ts-check
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { canInstallPackages, installPackage } from "../system/debian.mjs";
import { waitForLock } from "../system/lock.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";

/** The installer of the environments: several times as fast as pip, and it links files instead of copying them. */
const UV = "uv==0.13.9";
const MAKES_ENVIRONMENTS = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
/** A cold installation downloads some gigabytes. */
const INSTALL_MS = 60 * 60_000;

const PARTS = {
  train: { lock: "trainer/requirements.lock", size: "5 GB" },
  compress: { lock: "trainer/compress/requirements.lock", size: "6 GB" },
};

/**
 * The environments in which `npx whetstone trainer` and the trainer's tests run. `compress` and `llamaCpp` are null if they were
 * left out or cannot be installed; the trainer then reports what it cannot do.
 * @typedef {{python: string, compress: string | null, llamaCpp: string | null}} Environments
 */

/** Returns a folder outside the clone, so that clones on one machine share what is installed there. @param {string} name */
export const sharedFolder = (name, env = process.env) =>
  path.join(env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "whetstone", name);

/** Returns the folder of all environments. */
export const environmentsFolder = (env = process.env) => env.TRAINER_ENVIRONMENTS || sharedFolder("trainer", env);

/** @param {readonly string[]} files */
const digestOf = (files) => {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(inRoot(file)));
  return hash.digest("hex").slice(0, 16);
};

/** @param {string} folder @param {string} program */
const inEnvironment = (folder, program) => path.join(folder, "bin", program);

/** Returns the marker file, which is written last: a folder without it is incomplete. @param {string} folder */
const markOf = (folder) => path.join(folder, ".complete");

/** Returns the name of a Python that can create environments; `undefined` if there is none. */
export const findPython = () =>
  ["python3", "python3.13", "python3.12", "python3.11", "python"].find(
    (name) => spawnSync(name, ["-c", MAKES_ENVIRONMENTS]).status === 0,
  );

/** @param {(name: string) => string} logFor */
async function requirePython(logFor) {
  if (!findPython() && canInstallPackages()) await installPackage("python3-venv", logFor);
  const python = findPython();
  if (!python)
    throw new OperatorError("The trainer needs Python 3.11 or later with its venv module (Debian: python3-venv).");
  return python;
}

/**
 * Creates a folder with `make` unless it is complete. An incomplete one is recreated, and concurrent callers take turns.
 * @param {string} folder @param {() => Promise<void>} make
 */
export async function once(folder, make) {
  if (existsSync(markOf(folder))) return;
  mkdirSync(path.dirname(folder), { recursive: true });
  const lock = await waitForLock(`${folder}.lock`, "trainer environment", { withinMs: INSTALL_MS });
  try {
    if (existsSync(markOf(folder))) return;
    rmSync(folder, { recursive: true, force: true });
    await make();
    writeFileSync(markOf(folder), "");
  } finally {
    lock.release();
  }
}

/** @param {(name: string) => string} logFor @returns {Promise<string>} the installer */
async function installer(logFor) {
  const folder = path.join(environmentsFolder(), UV.replace("==", "-"));
  await once(folder, async () => {
    const [python, log] = [await requirePython(logFor), logFor("trainer-uv")];
    const failed = "uv could not be installed. Check the connection to the Python package index.";
    await runLogged(python, ["-m", "venv", folder], { log, failed });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV];
    await runLogged(inEnvironment(folder, "python"), pip, { log, failed });
  });
  return inEnvironment(folder, "uv");
}

/** @param {keyof typeof PARTS} name */
const folderOf = (name) => path.join(environmentsFolder(), `${name}-${digestOf([PARTS[name].lock])}`);

/** Returns the path of the Python that trains and serves, or would once it is installed. */
export const trainerPythonPath = () => inEnvironment(folderOf("train"), "python");

/** @param {keyof typeof PARTS} name @param {(name: string) => string} logFor @returns {Promise<string>} its Python */
async function environment(name, logFor) {
  const { lock, size } = PARTS[name];
  const folder = folderOf(name);
  const python = inEnvironment(folder, "python");
  const log = logFor(`trainer-${name}`);
  await once(folder, () =>
    step(
      `Installing the trainer's environment "${name}" (${size}, once on this machine)`,
      async () => {
        const [uv, base] = [await installer(logFor), await requirePython(logFor)];
        const failed = `The trainer's environment "${name}" could not be installed. Check the connection to the Python package index.`;
        await runLogged(uv, ["venv", "--python", base, folder], { log, failed });
        const sync = ["pip", "sync", "--python", python, "--require-hashes", inRoot(lock)];
        await runLogged(uv, sync, { log, failed });
      },
      { log },
    ),
  );
  return python;
}

const LLAMA_CPP = [
  ...[".npmrc", "package.json", "package-lock.json", "install.mjs"],
  ...["chat.mjs", "answer.mjs", "serve.mjs"],
];

/** @param {(name: string) => string} logFor @returns {Promise<string>} the folder with its `node_modules` */
async function llamaCpp(logFor) {
  const files = LLAMA_CPP.map((file) => `trainer/llama-cpp/${file}`);
  const folder = path.join(environmentsFolder(), `llama-cpp-${digestOf(files)}`);
  const log = logFor("trainer-llama-cpp");
  await once(folder, () =>
    step("Installing llama.cpp for the trainer", async () => {
      mkdirSync(folder, { recursive: true });
      for (const file of LLAMA_CPP) cpSync(inRoot("trainer/llama-cpp", file), path.join(folder, file));
      await runLogged(process.execPath, [path.join(folder, "install.mjs")], {
        log,
        failed: "llama.cpp could not be installed.",
      });
    }),
  );
  return folder;
}

/**
 * Creates the trainer's environments that are missing and returns their paths.
 * @param {(name: string) => string} logFor @param {{compress?: boolean}} [options]
 * @returns {Promise<Environments>}
 */
export async function trainerEnvironments(logFor, { compress = true } = {}) {
  return {
    python: await environment("train", logFor),
    compress: compress ? await environment("compress", logFor) : null,
    llamaCpp: await llamaCpp(logFor),
  };
}

/** Returns the environment variables through which the trainer finds them. @param {Environments} environments */
export const variablesOf = ({ compress, llamaCpp: folder }) => ({
  PYTHONPATH: inRoot("trainer"),
  ...(compress === null ? {} : { TRAINER_COMPRESS_PYTHON: compress }),
  ...(folder === null ? {} : { TRAINER_LLAMA_CPP: folder }),
});
