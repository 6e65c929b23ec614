// @ts-check
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository or of the package, wherever it is and whatever the working directory. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** @param {string[]} parts */
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** Whether this is the package of `npm run package`, which comes built and with its packages: npm publishes no lock file. */
export const isPackaged = !existsSync(inRoot("package-lock.json"));

/** Where `.env` is, and where relative paths in settings start: a package is in a folder that npm replaces. */
export const SETTINGS_ROOT = isPackaged ? process.cwd() : ROOT;

/** Returns Node's arguments for running a TypeScript file; the condition makes `server-only` an empty module. */
export const runTypeScript = () => [
  "--conditions=react-server",
  "--import",
  new URL(`file://${createRequire(import.meta.url).resolve("tsx")}`).href,
];

/** Returns the environment with the repository's tools on the path. */
export const withTools = (env = process.env) => ({
  ...env,
  PATH: `${inRoot("node_modules", ".bin")}${path.delimiter}${env.PATH ?? ""}`,
});
