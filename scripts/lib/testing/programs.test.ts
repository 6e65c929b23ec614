import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { identify, isRunning } from "../system/processes.mjs";
import { Programs } from "./programs.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "whetstone-programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (code: string) => [process.execPath, "-e", code];
/** Runs until it is killed, in a session of its own, as a test's database does. */
const DETACHED = `const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", "process.on('SIGINT', () => {}); setInterval(() => {}, 1e6)"], { detached: true, stdio: "ignore" });
child.unref();
console.log(child.pid);`;

test("a program's success is that it ended with 0, and its output is in the log", async () => {
  const programs = new Programs(process.env);
  const log = path.join(folder, "says.log");
  expect(await programs.succeeds(node("console.log('said')"), { log })).toBe(true);
  expect(readFileSync(log, "utf8")).toBe("said\n");
  expect(await programs.succeeds(node("process.exit(3)"), { log })).toBe(false);
});

test.runIf(process.platform === "linux")("what a program leaves behind is ended", async () => {
  const programs = new Programs(process.env);
  const log = path.join(folder, "leaves.log");
  expect(await programs.succeeds(node(DETACHED), { log })).toBe(true);
  const left = identify(Number(readFileSync(log, "utf8")));
  expect(isRunning(left)).toBe(true);

  await programs.endLeftovers();

  expect(isRunning(left)).toBe(false);
});

test.runIf(process.platform === "linux")("a stop ends programs and what they started, and nobody else's", async () => {
  const programs = new Programs(process.env);
  const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  const log = path.join(folder, "stopped.log");
  const ended = programs.succeeds(node(`${DETACHED} setInterval(() => {}, 1e6);`), { log });
  await vi.waitFor(() => expect(readFileSync(log, "utf8")).toMatch(/^\d+\n$/), { timeout: 30_000 });
  const left = identify(Number(readFileSync(log, "utf8")));

  await programs.stop();

  expect(await ended).toBe(false);
  expect([isRunning(left), isRunning(identify(stranger.pid!))]).toEqual([false, true]);
  await expect(programs.succeeds(node(""))).rejects.toThrow("Stopped.");
  stranger.kill("SIGKILL");
});
