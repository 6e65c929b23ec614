// @ts-check
// node scripts/complete-lock.mjs: names the builds for other systems in package-lock.json.
// A registry mirror may offer only the builds for its own systems; npm then leaves the others out of the lock file, and
// `npm ci` refuses a lock file without them. They are optional and of an exact version, so that their names say it all.
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "package-lock.json";
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "x64", "ia32", "ppc64", "riscv64", "s390x", "arm"];
const LIBRARIES = { musl: "musl", musleabihf: "musl", gnu: "glibc", gnueabihf: "glibc" };

/** @typedef {{version?: string, dev?: boolean | undefined, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] | undefined, optionalDependencies?: Record<string, string>}} Entry */

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const packages = /** @type {Record<string, Entry>} */ (lock.packages);

/** What the name of a build says about where it runs: `@next/swc-win32-arm64-msvc`. @param {string} name */
function placeOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const library = Object.entries(LIBRARIES).find(([word]) => words.includes(word))?.[1];
  if (!os || !cpu) return undefined;
  return { cpu: [cpu], libc: os === "linux" && library ? [library] : undefined, os: [os] };
}

/** @param {string} from @param {string} name */
const isThere = (from, name) => {
  const folders = from.split("/node_modules/").map((_, n, all) => all.slice(0, n + 1).join("/node_modules/"));
  return ["", ...folders].some((folder) => packages[`${folder ? `${folder}/` : ""}node_modules/${name}`]);
};

let added = 0;
for (const [from, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = placeOf(name);
    if (!place || isThere(from, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const { cpu, libc, os } = place;
    packages[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os }; // in npm's own order
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} builds for other systems were added to ${FILE}.`);
