// @ts-check
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { inRoot, isPackaged } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";

const INSTALLED = "node_modules/.package-lock.json";

/** @param {string} file @returns {Record<string, {version?: string, optional?: boolean, integrity?: string}>} */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(inRoot(file), "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

/** Returns whether the installed packages match package-lock.json. (Optional packages are for other systems.) */
export function isInstalled() {
  const installed = packagesOf(INSTALLED);
  return Object.entries(packagesOf("package-lock.json")).every(
    ([name, { version, optional, integrity }]) =>
      name === "" || optional || (installed[name]?.version === version && installed[name]?.integrity === integrity),
  );
}

/** Returns whether there are patches newer than the installation (after a `git pull`), which it has not applied. */
function hasNewPatches() {
  if (!existsSync(inRoot("patches"))) return false;
  const installedAt = statSync(inRoot(INSTALLED)).mtimeMs;
  return readdirSync(inRoot("patches")).some((file) => statSync(inRoot("patches", file)).mtimeMs > installedAt);
}

/** @param {string} log */
export async function install(log) {
  if (isPackaged || (isInstalled() && (!hasNewPatches() || (await applyPatches(log))))) return;
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  await step(
    "Installing packages",
    () =>
      // The build needs development packages even where NODE_ENV=production would omit them.
      runLogged(command, [...args, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=warn"], {
        log,
        failed: "The packages could not be installed. Check the connection to the npm registry, and try again.",
      }),
    { log },
  );
}

/** Applies patches; applied ones are skipped, and a changed one requires a reinstalled package. @param {string} log */
async function applyPatches(log) {
  const failed = "The patches could not be applied.";
  const applied = await runLogged(process.execPath, [inRoot("node_modules/patch-package/index.js")], {
    log,
    failed,
  }).then(
    () => true,
    () => false,
  );
  if (applied) utimesSync(inRoot(INSTALLED), new Date(), new Date());
  return applied;
}
