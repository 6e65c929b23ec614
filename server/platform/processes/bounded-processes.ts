import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { env } from "@/env";
import { ServiceError } from "../errors";
import { fromThreadError } from "../thread-error";
import type { Answer, Outcome, ReadReply, ReadRequest, Sent, Source } from "./bounded-program";

/** Processes of all kinds together. One project has one of a kind at a time, so that it cannot occupy them all. */
const PROCESSES = 2;
/** Tasks of one project and kind that may wait. */
const WAITING_MAX = 16;
const MIB = 1024 * 1024;
/** The most bytes that a program gets at once. */
const READ_MAX = 64 * MIB;
/** Starting a program takes a quarter of a second; this is the time after which something is wrong with the machine. */
const START_MS = 30_000;

type Limits = {
  /** The time of one task, from when its program is loaded. */
  limitMs: number;
  /** What its objects may take. */
  heapMib: number;
  /**
   * Returns the error for a task that passed a limit, which is described in words ("took longer than 2 s"). `said`: the end of
   * what its program wrote to the standard error output.
   */
  exceeded: (what: string, said: string) => ServiceError;
};

/** A kind of work that is done in processes of its own. `entry`: the program in `dist/` that calls `boundedProgram(work)`. */
export type BoundedWork<Task, Result> = Limits & {
  entry: string;
  work: (task: Task, source?: Source) => Promise<Result>;
};

// Next loads this module more than once: all copies share the limits.
const kept = globalThis as { whetstoneProcesses?: { all: LimitFunction; projects: Map<string, LimitFunction> } };
const limiters = () => (kept.whetstoneProcesses ??= { all: pLimit(PROCESSES), projects: new Map() });

/** Runs a project's tasks of a kind one after the other. */
async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  const { all, projects } = limiters();
  const project = projects.get(key) ?? pLimit(1);
  if (project.pendingCount >= WAITING_MAX) {
    throw new ServiceError("rate_limited", "Too many requests of this kind are waiting already.", { retryAfter: 5 });
  }
  projects.set(key, project);
  try {
    return await project(() => all(run));
  } finally {
    if (project.activeCount + project.pendingCount === 0) projects.delete(key);
  }
}

/**
 * Returns a function that does a kind of work in a process of its own: whatever a template or a file makes of it, requests are
 * answered meanwhile, and a task that takes too long or too much memory ends alone. A thread would not do: if its heap grows
 * fast, V8 ends the whole process. In development the work is done in this process.
 */
export function inBoundedProcess<Task, Result>(kind: BoundedWork<Task, Result>) {
  const program = path.join(process.cwd(), "dist", `${kind.entry}.js`);
  return (projectId: string, task: Task, source?: Source): Promise<Result> =>
    env().NODE_ENV === "production"
      ? inTurn(`${kind.entry} ${projectId}`, () => runBounded(program, kind, task, source))
      : kind.work(task, source);
}

/** Runs one task in a process with this program, within its limits. */
export async function runBounded<Task, Result>(
  program: string,
  { limitMs, heapMib, exceeded }: Limits,
  task: Task,
  source?: Source,
): Promise<Result> {
  const child = start(program, { limitMs, heapMib });
  let late = false;
  const endsAfter = (ms: number) =>
    setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, ms);
  let timer = endsAfter(START_MS);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-10_000);
  });
  const send = (message: Sent<Task>) => {
    // If the child has ended meanwhile, its end is what matters.
    child.send(message, () => {});
  };
  try {
    const outcome = await new Promise<Outcome<Result> | undefined>((resolve, reject) => {
      child.on("message", (answer: Answer<Result>) => {
        if (answer === "ready") {
          clearTimeout(timer);
          timer = endsAfter(limitMs);
          send({ task, size: source?.size });
        } else if ("start" in answer) void reply(source, answer).then(send);
        else resolve(answer);
      });
      child.once("close", () => resolve(undefined)).once("error", reject);
    });
    if (outcome) {
      if ("failed" in outcome) throw fromThreadError(outcome.failed);
      return outcome.done;
    }
    if (late || child.signalCode === "SIGXCPU") throw exceeded(`took longer than ${limitMs / 1000} s`, errors);
    if (errors.includes("heap out of memory")) throw exceeded(`needs more than ${heapMib} MiB of memory`, errors);
    throw new Error(`${path.basename(program)} ended without an answer (${child.signalCode ?? child.exitCode}).`, {
      cause: errors,
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** Starts the program without what this process knows: no environment, no open files. */
function start(program: string, { limitMs, heapMib }: Pick<Limits, "limitMs" | "heapMib">): ChildProcess {
  // A program whose parent was killed sees that its channel is closed, unless it never waits; then the system ends it. Its
  // collector of garbage computes beside it.
  const cpuSeconds = 2 + Math.ceil((2 * limitMs) / 1000);
  const args = [`--max-old-space-size=${heapMib}`, program];
  return spawn("/bin/sh", ["-c", `ulimit -S -t ${cpuSeconds}; exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
    env: { NODE_ENV: "production" },
  });
}

async function reply(source: Source | undefined, { id, start, end }: ReadRequest): Promise<ReadReply> {
  try {
    if (!source || end - start > READ_MAX) throw new Error("The part cannot be read.");
    return { id, bytes: await source.read(start, end) };
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error) };
  }
}
