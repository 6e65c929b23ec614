// @ts-check
// node scripts/complete-lock.mjs: adds the builds for other systems to package-lock.json.
// A registry mirror may offer only the builds for its own systems; npm then omits the others from the lock file, and
// `npm ci` rejects a lock file without them. They are optional and have exact versions, so everything but the checksum
// can be derived from their names; the checksum is requested from the registry, and again on the next run if it has none.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "package-lock.json";
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "x64", "ia32", "ppc64", "riscv64", "s390x", "arm"];
const LIBRARIES = { musl: "musl", musleabihf: "musl", gnu: "glibc", gnueabihf: "glibc" };

/** @typedef {{version?: string | undefined, dev?: boolean | undefined, optional?: boolean, link?: boolean, integrity?: string | undefined, os?: string[], cpu?: string[], libc?: string[] | undefined, optionalDependencies?: Record<string, string>}} Entry */

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const packages = /** @type {Record<string, Entry>} */ (lock.packages);

/** Returns the platform encoded in a build's name: `@next/swc-win32-arm64-msvc`. @param {string} name */
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
    packages[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os }; // in npm's key order
    added += 1;
  }
}

/** Returns the registry's checksum of a package, if it has one. @param {string} spec */
function integrityOf(spec) {
  const { stdout } = spawnSync("npm", ["view", spec, "dist.integrity"], { encoding: "utf8" });
  return /^sha512-\S+$/m.exec(stdout)?.[0];
}

const unknown = [];
for (const [place, entry] of Object.entries(packages)) {
  if (place === "" || entry.link || entry.integrity) continue;
  const { version, ...rest } = entry;
  const spec = `${place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
  const integrity = integrityOf(spec);
  if (integrity) packages[place] = { version, ...rest, integrity };
  else unknown.push(spec);
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} builds for other systems were added to ${FILE}.`);
if (unknown.length > 0) {
  console.log(`The registry has no checksum for these; run this against one that does:\n${unknown.join("\n")}`);
  process.exitCode = 1;
}
