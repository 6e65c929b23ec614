import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

test.each(["start", "cli", "dev", "test"])(
  "`scripts/%s.mjs` loads no package before packages are installed",
  (entry) => {
    const packages: string[] = [];
    const seen = new Set<string>();
    const read = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(file, "utf8");
      // The entry's own dynamic imports run at the start; those of other files run only when needed.
      const imported =
        file === `scripts/${entry}.mjs` ? /(?:from|^import|import\()\s*"([^"]+)"/gm : /(?:from|^import)\s+"([^"]+)"/gm;
      for (const [, name = ""] of source.matchAll(imported)) {
        if (name.startsWith(".")) read(path.join(path.dirname(file), name));
        else if (!name.startsWith("node:")) packages.push(`${file}: ${name}`);
      }
    };
    read(`scripts/${entry}.mjs`);
    expect(seen.size).toBeGreaterThan(10);
    expect(packages).toEqual([]);
  },
);

type Entry = { version?: string; link?: boolean; integrity?: string; optionalDependencies?: Record<string, string> };

test("package-lock.json has the builds for all systems, as `npm ci` requires", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };
  const names = new Set(
    Object.keys(lock.packages).map((key) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length)),
  );
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !names.has(name)),
  );
  expect(missing, "run: node scripts/complete-lock.mjs").toEqual([]);
});

/** Builds that the registry lacked when their version was added: `complete-lock` requests them each time. */
const NOT_OFFERED =
  /^(@biomejs\/cli-(android-arm64|android-x64|darwin-arm64|darwin-x64|linux-arm64-musl|linux-x64-musl|win32-arm64|win32-x64)@2\.6\.8|@next\/swc-(darwin-arm64|darwin-x64|win32-arm64-msvc|win32-x64-msvc)@16\.4\.6|@oxc-parser\/binding-[\w-]+@0\.156\.0)$/;

test("every package in package-lock.json has a checksum, except builds that the registry lacked", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };
  const unpinned = Object.entries(packages)
    .filter(([place, { link, integrity }]) => place !== "" && !link && !integrity)
    .map(([place, { version }]) => `${place.slice(place.lastIndexOf("node_modules/") + 13)}@${version}`);
  expect(
    unpinned.filter((spec) => !NOT_OFFERED.test(spec)),
    "run: node scripts/complete-lock.mjs",
  ).toEqual([]);
});
