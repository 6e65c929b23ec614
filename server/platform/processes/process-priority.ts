import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Linux lets an unprivileged user change the niceness of one session in this time, on the whole machine. */
const SESSION_EVERY_MS = 100;
const SESSION_TRIES = 20;

/**
 * Lowers the priority of a process to a niceness (at most 19), unless it is that low already: of its main thread, which on
 * Linux all threads inherit that it starts later, and of its session if it leads one. Linux distributes processor time first
 * among sessions and then within each (`man 7 sched`, "The autogroup feature"), so that the niceness of a process that is
 * alone in its session has no effect on others. In control groups, such as containers and services of systemd, only the
 * niceness of threads counts. Throws where the system forbids it or the process is gone.
 */
export async function lowerPriority(pid: number, niceness: number) {
  lowerThread(pid, niceness);
  if (process.platform === "linux" && isSessionLeader(pid)) await lowerSession(pid, niceness);
}

/** Lowers the priority of this process and of all its threads; on Linux each has its own, and V8 and Node have started theirs. */
export async function lowerOwnPriority(niceness: number) {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [];
  for (const thread of threads) {
    try {
      lowerThread(thread, niceness);
    } catch {
      // It has ended, or the system forbids it, which the process itself finds out next.
    }
  }
  await lowerPriority(process.pid, niceness);
}

function lowerThread(id: number, niceness: number) {
  if (getPriority(id) < niceness) setPriority(id, niceness);
}

/** Field 6 of `/proc/PID/stat`, after the name, which may contain spaces and brackets. */
function isSessionLeader(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return session === String(pid);
}

async function lowerSession(pid: number, niceness: number) {
  const file = `/proc/${pid}/autogroup`;
  for (let tries = 1; ; tries++) {
    const current = sessionNiceness(pid);
    if (current === null || current >= niceness) return;
    try {
      writeFileSync(file, String(niceness));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || tries === SESSION_TRIES) throw error;
      await sleep(SESSION_EVERY_MS);
    }
  }
}

/** Returns the niceness of a process's session, or null where processor time is not distributed among sessions. */
export function sessionNiceness(pid: number): number | null {
  try {
    const found = /^\/autogroup-\d+ nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"));
    return found ? Number(found[1]) : null;
  } catch {
    return null; // this kernel has no such file
  }
}
