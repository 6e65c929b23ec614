import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../scripts/lib/database/postgres.mjs";
import { launcherFor } from "../../scripts/lib/system/os-user.mjs";
import { expect, test } from "../support/test";

/** What `npx whetstone` and the container image install, as the image installs, runs and checks it, without a container engine. */

const START_MS = 60_000;
/** The user `node` of the official image. */
const NODE_USER = { name: "node", uid: 1000, gid: 1000 };

const instructions = readFileSync("Dockerfile", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
const all = (name: string) => instructions.flatMap(([instruction, given]) => (instruction === name ? [given] : []));

let root: string;
let child: ChildProcess | undefined;

test.beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "whetstone-image-"));
  chmodSync(root, 0o755);
});
test.afterAll(async () => {
  if (child?.exitCode === null) {
    const exited = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGTERM");
    await exited;
  }
  rmSync(root, { recursive: true, force: true });
});

test("the package serves without a build, as a user who can write to its data only", async () => {
  test.setTimeout(600_000);
  expect(all("RUN")).toEqual([
    "npm ci && npm run package",
    "--mount=type=bind,from=build,source=/build/package,target=/package npm install --global /package/whetstone-*.tgz",
    "mkdir /data && chown node:node /data",
  ]);
  expect(instructions.findIndex(([name]) => name === "USER")).toBeLessThan(
    instructions.findIndex(([name]) => name === "CMD"),
  );
  test.skip(process.getuid?.() !== 0, "only root can start a program as another user");

  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["scripts/package.mjs"]);
  const tarball = stdout.trim().split("\n").at(-1) ?? "";
  const [app, data] = ["app", "data"].map((name) => path.join(root, name)) as [string, string];
  await run("npm", ["install", "--silent", "--prefer-offline", "--global", "--prefix", app, tarball]);
  mkdirSync(data);
  chownSync(data, NODE_USER.uid, NODE_USER.gid);
  // The run's folder and the tests' own Node are in folders that only root can enter: it may read them, and write nothing.
  const launch = launcherFor(NODE_USER, { program: process.execPath, folder: app });

  const port = String(await freePort());
  const settings = Object.fromEntries(
    all("ENV")[0]
      ?.split(" ")
      .map((pair) => pair.split("=", 2)) ?? [],
  );
  const [program = "", ...args] = JSON.parse(all("CMD")[0] ?? "[]") as string[];
  const { command, args: given, ...user } = launch(process.execPath, [path.join(app, "bin", program), ...args]);
  child = spawn(command, given, {
    ...user,
    cwd: app,
    env: { PATH: process.env.PATH, ...settings, DATA_DIR: data, PORT: port, STOP_WITH_PARENT: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  await expect.poll(() => /is ready at/.test(output) || child?.exitCode !== null, { timeout: START_MS }).toBe(true);
  expect(child.exitCode, output).toBeNull();
  const [, check] = /^CMD (.*)$/.exec(all("HEALTHCHECK")[0]?.replace(/^--\S+ /, "") ?? "") ?? [];
  const [, ...checkArgs] = JSON.parse(check ?? "[]") as string[];
  execFileSync(process.execPath, checkArgs, { env: { PORT: port } as unknown as NodeJS.ProcessEnv });
  expect((await fetch(`http://127.0.0.1:${port}/sign-in`)).status, output).toBe(200);
  const document = (await (await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).json()) as { openapi: string };
  expect(document.openapi).toMatch(/^3\./);
  expect(execFileSync("find", [app, "-user", String(NODE_USER.uid)], { encoding: "utf8" })).toBe("");
});
