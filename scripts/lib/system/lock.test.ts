import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLock, holderOf, LockHeld, waitForLock } from "./lock.mjs";
import { identify } from "./processes.mjs";

let file: string;
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), "whetstone-lock-")), "running.json");
});
afterEach(() => rmSync(path.dirname(file), { recursive: true }));

const alone = () => readdirSync(path.dirname(file));

test("one process holds a lock at a time, and the file identifies it", () => {
  const lock = acquireLock(file, "start");
  lock.update({ address: "http://127.0.0.1:3000" });
  expect(() => acquireLock(file, "start")).toThrow(LockHeld);
  expect(holderOf(file)).toMatchObject({
    holder: { pid: process.pid },
    kind: "start",
    address: "http://127.0.0.1:3000",
  });
  lock.release();
  expect(existsSync(file)).toBe(false);
  expect(alone()).toEqual([]);
});

test("a dead process's lock is taken over, with its list of children", () => {
  const children = { web: { pid: 4_000_001, since: "then" } };
  writeFileSync(file, JSON.stringify({ holder: { pid: 4_000_000, since: "then" }, kind: "start", children }));
  expect(holderOf(file)).toBeUndefined();
  expect(acquireLock(file, "start").content).toMatchObject({ holder: { pid: process.pid }, children });
  expect(alone()).toEqual(["running.json"]);
});

test("a process that reuses the pid does not hold the lock", () => {
  writeFileSync(file, JSON.stringify({ holder: { pid: process.pid, since: "another start" }, kind: "start" }));
  expect(acquireLock(file, "start").content.holder).toEqual(identify(process.pid));
});

test("a damaged lock file does not block anybody", () => {
  writeFileSync(file, "{");
  expect(acquireLock(file, "start").content.kind).toBe("start");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ kind: "start" });
});

test("waiting for a lock ends when its holder dies", async () => {
  const holder = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
  await new Promise((resolve) => holder.once("spawn", resolve));
  writeFileSync(file, JSON.stringify({ holder: identify(holder.pid!), kind: "cli" }));
  const isCommand = { withinMs: 10_000, shouldWait: ({ kind }: { kind: string }) => kind === "cli" };
  const waiting = waitForLock(file, "start", isCommand);
  holder.kill();
  expect((await waiting).content.kind).toBe("start");
});

test("one of many processes that compete for a lock gets it", async () => {
  const take = `
    const { acquireLock } = await import(${JSON.stringify(new URL("./lock.mjs", import.meta.url).href)});
    try { acquireLock(${JSON.stringify(file)}, "start"); console.log("taken"); } catch (error) { console.log(error.constructor.name); }
    process.stdin.resume().once("end", () => process.exit());`;
  const takers = Array.from({ length: 8 }, () => spawn(process.execPath, ["--input-type=module", "-e", take]));
  const said = await Promise.all(
    takers.map((taker) => new Promise((resolve) => taker.stdout.once("data", (data) => resolve(String(data).trim())))),
  );
  for (const taker of takers) taker.stdin.end();
  expect(said.sort()).toEqual([...Array.from({ length: 7 }, () => "LockHeld"), "taken"]);
});
