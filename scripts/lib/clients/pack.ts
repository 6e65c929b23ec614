import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { inRoot } from "../system/paths.mjs";
import { clientDocument, isDownload } from "./document";

const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { version: string };

const run = (program: string, args: string[], cwd: string) =>
  promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
const tool = (name: string) => inRoot("node_modules/.bin", name);

/** Changes a file's text in place. */
const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, "utf8")));

/** Copies a client's folder to where it is built, with the licence, and writes what is generated. Returns the folder. */
async function stage(client: "python" | "typescript", out: string, source: string) {
  const folder = path.join(out, client);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  cpSync(inRoot("clients", client), folder, { recursive: true, filter: (file) => !file.endsWith(".test.ts") });
  copyFileSync(inRoot("LICENSE"), path.join(folder, "LICENSE"));
  const document = clientDocument();
  writeFileSync(path.join(folder, "openapi.json"), JSON.stringify(document));
  const generate = ["generate-client", "openapi.json", "--output", source, "--generator", client];
  await run(tool("redocly"), client === "typescript" ? [...generate, "--args-style", "flat"] : generate, folder);
  return { folder, document };
}

/** Packs `@whetstone/client` as npm would publish it, for `import` and `require`. Returns the path of the tarball. */
export async function packTypeScript(out = inRoot("package/clients")) {
  const { folder } = await stage("typescript", out, "src/generated.ts");
  for (const [format, extension] of [["esm", "js"] as const, ["cjs", "cjs"] as const]) {
    const outfile = path.join(folder, `dist/index.${extension}`);
    await build({ entryPoints: [path.join(folder, "src/index.ts")], outfile, bundle: true, format, target: "es2022" });
  }
  await run(tool("tsc"), [], folder);
  const dist = path.join(folder, "dist");
  for (const name of readdirSync(dist).filter((one) => one.endsWith(".d.ts"))) {
    const types = readFileSync(path.join(dist, name), "utf8").replace(/(from ".\/\w+)\.js"/g, '$1.cjs"');
    writeFileSync(path.join(dist, name.replace(/\.d\.ts$/, ".d.cts")), types);
  }
  const withVersion = (text: string) => `${JSON.stringify({ ...JSON.parse(text), version }, null, 2)}\n`;
  edit(path.join(folder, "package.json"), withVersion);
  const { stdout } = await run("npm", ["pack", "--pack-destination", out, "--silent"], folder);
  return path.join(out, stdout.trim());
}

/** Makes the methods of downloads return what they got, which the generator drops. */
function withFiles(text: string, downloads: readonly { operationId: string }[]) {
  let changed = text;
  for (const { operationId } of downloads) {
    const name = operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const method = new RegExp(
      `(    (?:async )?def ${name}\\(.*) -> None:\n((?:        .*\n)+?)        return None\n`,
      "g",
    );
    changed = changed.replaceAll(method, "$1 -> bytes:\n$2        return response.content\n");
    if (changed.split(`def ${name}(`).some((part, n) => n > 0 && !/^.* -> bytes:/.test(part))) {
      throw new Error(`The method ${name} is not as it was expected.`);
    }
  }
  return changed;
}

/**
 * Packs `whetstone` for Python. Returns the path of the wheel. `builder` is a Python that has setuptools; by default pip fetches it.
 */
export async function packPython(out = inRoot("package/clients"), builder?: string) {
  const { folder, document } = await stage("python", out, "src/whetstone/generated.ts");
  const source = path.join(folder, "src/whetstone");
  renameSync(path.join(source, "generated.py"), path.join(source, "_generated.py"));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  edit(path.join(source, "_generated.py"), (text) =>
    // A body may be a dictionary as well: only that can say null.
    withFiles(text, operations.filter(isDownload)).replaceAll(
      /(?<=\bbody: )(\w+Input\w*)(?=[,)])/g,
      "Union[$1, Dict[str, Any]]",
    ),
  );
  const keyed = operations
    .filter(({ parameters }) => parameters.some(({ name }) => name === "Idempotency-Key"))
    .map(({ operationId }) => `    ${JSON.stringify(operationId)},\n`);
  writeFileSync(path.join(source, "_keyed.py"), `KEYED = {\n${keyed.join("")}}\n`);
  writeFileSync(path.join(folder, "VERSION"), `${version}\n`);
  const offline = builder === undefined ? [] : ["--no-build-isolation", "--no-index"];
  const wheel = ["-m", "pip", "wheel", "--quiet", "--no-deps", ...offline, "--wheel-dir", out, "."];
  await run(builder ?? "python3", wheel, folder);
  return path.join(out, `whetstone-${version}-py3-none-any.whl`);
}
