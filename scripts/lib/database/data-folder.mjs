// @ts-check
import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { OperatorError } from "../system/operator-error.mjs";
import { SETTINGS_ROOT } from "../system/paths.mjs";
import { Cluster } from "./postgres.mjs";

const LONG_ENOUGH = 32;

/** Returns the paths and secrets in DATA_DIR. @param {string} folder */
export function dataFolder(folder) {
  const inside = (/** @type {string[]} */ ...parts) => path.join(folder, ...parts);
  try {
    // Others may traverse it (as root, the database runs as another user) but not list it; everything inside is private.
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    mkdirSync(inside("logs"), { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new OperatorError(
      `Cannot write to ${folder} (${/** @type {Error} */ (error).message}). Set DATA_DIR to a folder that this user may write to.`,
    );
  }
  return {
    folder,
    lockFile: inside("running.json"),
    log: (/** @type {string} */ name) => inside("logs", `${name}.log`),
    cluster: new Cluster(inside("postgres"), { log: inside("logs", "postgres.log") }),
    compileCache: inside("compile-cache"),
    secret: () => secret(inside("secret")),
  };
}

/** Returns the operator's own secret, from the variable or from a file. @param {NodeJS.ProcessEnv} env */
export function givenSecret({ WHETSTONE_SECRET: text, WHETSTONE_SECRET_FILE: file }) {
  if (text && file)
    throw new OperatorError("WHETSTONE_SECRET and WHETSTONE_SECRET_FILE are both set: keep one of them.");
  if (!text && !file) return undefined;
  const given = file ? readSecret(path.resolve(SETTINGS_ROOT, file)) : text;
  if (given && given.length >= LONG_ENOUGH) return given;
  throw new OperatorError(
    file
      ? `WHETSTONE_SECRET_FILE names ${file}, which is too short: at least ${LONG_ENOUGH} characters.`
      : `WHETSTONE_SECRET is too short: at least ${LONG_ENOUGH} characters.`,
  );
}

/** @param {string} file */
function readSecret(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new OperatorError(`WHETSTONE_SECRET_FILE cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/** Creates the secret once, atomically. @param {string} file */
function secret(file) {
  const given = givenSecret(process.env);
  if (given !== undefined) return given;
  if (!existsSync(file)) {
    const making = `${file}.${process.pid}`;
    writeFileSync(making, `${randomBytes(LONG_ENOUGH).toString("base64url")}\n`, { mode: 0o600 });
    try {
      linkSync(making, file);
    } catch {
      // Another process has just created it.
    } finally {
      rmSync(making, { force: true });
    }
  }
  const kept = readFileSync(file, "utf8").trim();
  if (kept.length < LONG_ENOUGH)
    throw new OperatorError(
      `${file} is damaged. Restore it from a backup: stored keys cannot be read with any other secret.`,
    );
  return kept;
}
