import { spawn } from "node:child_process";
import { getPriority } from "node:os";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { hasSessionPriorities } from "../testing/session-priority";
import { sessionNiceness } from "./process-priority";

const isLinux = process.platform === "linux";

/** Runs code in a process of its own, because a priority cannot be raised again. */
async function result<T>(
  code: string,
  { detached, launcher = [] }: { detached: boolean; launcher?: string[] },
): Promise<T> {
  const imports = `
    import { readdirSync } from "node:fs";
    import { getPriority } from "node:os";
    import { lowerOwnPriority, sessionNiceness } from "./server/platform/processes/process-priority";`;
  const flags = ["--import=tsx", "--conditions=react-server", "--input-type=module", "--eval", imports + code];
  const [program = "", ...args] = [...launcher, process.execPath, ...flags];
  const child = spawn(program, args, { detached, stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(await text(child.stdout));
}

test.runIf(isLinux)("all threads of a process get the lower priority", async () => {
  const priorities = await result<number[]>(
    `await lowerOwnPriority(10).catch(() => {}); // a session's priority may be fixed
    console.log(JSON.stringify(readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)))));`,
    { detached: true },
  );

  expect(priorities.length).toBeGreaterThan(4);
  // Tests may run at a lower priority themselves.
  expect(new Set(priorities)).toEqual(new Set([Math.max(10, getPriority())]));
});

const SESSION_BEFORE_AND_AFTER = `
  const before = sessionNiceness(process.pid);
  await lowerOwnPriority(10).catch(() => {});
  console.log(JSON.stringify([before, sessionNiceness(process.pid)]));`;

test("processes that lead a session lower its priority where the system allows it, even without privileges", async () => {
  // Linux then allows one change in 100 ms.
  const launcher =
    hasSessionPriorities && process.getuid?.() === 0
      ? ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
      : [];

  const sessions = await Promise.all(
    Array.from({ length: 3 }, () => result<(number | null)[]>(SESSION_BEFORE_AND_AFTER, { detached: true, launcher })),
  );

  const fixed = sessionNiceness(process.pid) === null ? null : 0;
  expect(sessions).toEqual(Array(3).fill(hasSessionPriorities ? [0, 10] : [fixed, fixed]));
});

test("a process that shares its session leaves that session's priority as it is", async () => {
  const [before, after] = await result<(number | null)[]>(SESSION_BEFORE_AND_AFTER, { detached: false });

  expect(after).toBe(before);
});
