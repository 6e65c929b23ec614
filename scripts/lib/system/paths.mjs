// @ts-check
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository, wherever it was cloned and from wherever it is called. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** @param {string[]} parts */
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** Node's arguments that run one of our TypeScript files as it stands; the condition makes `server-only` an empty module. */
export const runTypeScript = () => [
  "--conditions=react-server",
  "--import",
  new URL(`file://${createRequire(import.meta.url).resolve("tsx")}`).href,
];

/** The environment with the repository's tools on the path. */
export const withTools = (env = process.env) => ({
  ...env,
  PATH: `${inRoot("node_modules", ".bin")}${path.delimiter}${env.PATH ?? ""}`,
});
