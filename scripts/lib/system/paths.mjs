// @ts-check
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, wherever it was cloned and whatever the working directory. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** @param {string[]} parts */
export const inRoot = (...parts) => path.join(ROOT, ...parts);

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
