// Installs llama.cpp for this machine: the locked packages and the one prebuilt binary package that fits it.
//
// `npm ci` cannot be used: node-llama-cpp names a dozen binary packages (CUDA, Vulkan, ARM, 670 MB in all) as
// optional dependencies, and npm can either install all that match or none. `npm install --no-save` takes versions
// and integrity hashes from the lock as `npm ci` does, leaves the lock unchanged, and adds the one package we name.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const packageOf = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "linux-arm": "linux-armv7l",
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
  "win32-x64": "win-x64",
  "win32-arm64": "win-arm64",
};

const here = dirname(fileURLToPath(import.meta.url));
const version = JSON.parse(readFileSync(`${here}/package.json`, "utf8")).dependencies["node-llama-cpp"];
const name = packageOf[`${process.platform}-${process.arch}`];
if (!name) {
  console.error(
    `llama.cpp has no prebuilt package for ${process.platform} on ${process.arch}: GGUF will not be offered.`,
  );
  process.exit(1);
}
// Install scripts would try to download or compile other builds; the prebuilt binary needs none of them.
const args = ["install", "--no-save", "--omit=optional", "--ignore-scripts", `@node-llama-cpp/${name}@${version}`];
const { status } = spawnSync("npm", args, { cwd: here, stdio: "inherit", shell: process.platform === "win32" });
process.exit(status ?? 1);
