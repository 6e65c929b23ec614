// @ts-check
import { readFileSync } from "node:fs";
import { inRoot } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { step } from "./say.mjs";

/** @param {string} file @returns {Record<string, {version?: string, optional?: boolean, integrity?: string}>} */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(inRoot(file), "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

/** Is what package-lock.json asks for what npm last installed? (Optional packages are for other systems.) */
export function isInstalled() {
  const installed = packagesOf("node_modules/.package-lock.json");
  return Object.entries(packagesOf("package-lock.json")).every(
    ([name, { version, optional, integrity }]) =>
      name === "" || optional || (installed[name]?.version === version && installed[name]?.integrity === integrity),
  );
}

/** @param {string} log */
export async function install(log) {
  if (isInstalled()) return;
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  await step(
    "Installing packages",
    () =>
      // The build needs development packages too, also where NODE_ENV=production would leave them out.
      runLogged(command, [...args, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=warn"], {
        log,
        failed: "The packages could not be installed. Check the connection to the npm registry, and try again.",
      }),
    { log },
  );
}
