import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../scripts/lib/database/postgres.mjs";
import { launcherFor } from "../../scripts/lib/system/os-user.mjs";
import { expect, test } from "../support/test";

/** The image of `Dockerfile`, without a container engine: its files, its environment, its user and its command. */

const START_MS = 60_000;
/** The user `node` of the official image. */
const NODE_USER = { name: "node", uid: 1000, gid: 1000 };
/** What the image's own steps make; here the test run made it with the same commands. */
const BUILT = ["node_modules", ".next", "dist"];

const instructions = readFileSync("Dockerfile", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
const all = (name: string) => instructions.flatMap(([instruction, given]) => (instruction === name ? [given] : []));

/** Hard links where possible: `node_modules` is large. */
const copy = (from: string, to: string) => {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    execFileSync("cp", ["-a", from, to]);
  }
};

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

test("the image serves as a user who can write to its data only", async () => {
  expect(all("RUN")).toEqual(["npm ci && npm run build", "mkdir /data && chown node:node /data"]);
  expect(instructions.findIndex(([name]) => name === "USER")).toBeLessThan(
    instructions.findIndex(([name]) => name === "CMD"),
  );
  test.skip(process.getuid?.() !== 0, "only root can start a program as another user");

  const [app, data] = ["app", "data"].map((name) => path.join(root, name)) as [string, string];
  mkdirSync(app);
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
  execFileSync("cp", [
    "--preserve=timestamps",
    "--parents",
    "-t",
    app,
    ...files.filter((file) => !/^(e2e|bench|docs|trainer\/tests)\//.test(file)),
  ]);
  for (const folder of BUILT) copy(folder, path.join(app, folder));
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
  const [, ...args] = JSON.parse(all("CMD")[0] ?? "[]") as string[];
  const { command, args: given, ...user } = launch(process.execPath, args);
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
  expect(execFileSync("find", [app, "-user", String(NODE_USER.uid)], { encoding: "utf8" })).toBe("");
});
