import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { env } from "@/env";
import { ServiceError } from "../errors";
import type { Answer, Message, Outcome, ReadReply, ReadRequest, Sent, Source } from "./bounded-program";
import { fromThreadError } from "./thread-error";

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
  /** The time of one task, from when its program is loaded; of a task with many results, the time of each. */
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

/** A kind of work with many results. `entry`: the program in `dist/` that calls `boundedStreamProgram(work)`. */
export type BoundedStream<Task, Result> = Limits & {
  entry: string;
  work: (task: Task, source?: Source) => AsyncGenerator<Result, void>;
};

/** Results, `undefined` after the last. Close it, unless `next` returned `undefined` or threw. */
export type Results<Result> = { next(): Promise<Result | undefined>; close(): void };

/**
 * Returns a function that does a kind of work with many results in a process of its own, as `inBoundedProcess` does. Its
 * callers bound how many there are.
 */
export function streamFromBoundedProcess<Task, Result>(kind: BoundedStream<Task, Result>) {
  const program = path.join(process.cwd(), "dist", `${kind.entry}.js`);
  return (task: Task, source?: Source): Results<Result> => {
    if (env().NODE_ENV === "production") return streamBounded(program, kind, task, source);
    const results = kind.work(task, source);
    return {
      next: async () => (await results.next()).value ?? undefined,
      close: () => void results.return(),
    };
  };
}

/** Runs one task in a process with this program, within its limits. */
export async function runBounded<Task, Result>(
  program: string,
  limits: Limits,
  task: Task,
  source?: Source,
): Promise<Result> {
  const child = new BoundedChild<Task>(program, limits, { source, isStream: false });
  try {
    return (await child.ask({ task, size: source?.size })) as Result;
  } finally {
    child.end();
  }
}

/** Runs a task with many results in a process with this program. */
export function streamBounded<Task, Result>(
  program: string,
  limits: Limits,
  task: Task,
  source?: Source,
): Results<Result> {
  const child = new BoundedChild<Task>(program, limits, { source, isStream: true });
  let message: Message<Task> = { task, size: source?.size };
  let isDone = false;
  return {
    async next() {
      if (isDone) return undefined;
      try {
        const { value, done } = (await child.ask(message)) as IteratorResult<Result, void>;
        message = "next";
        if (!done) return value;
        isDone = true;
      } catch (error) {
        child.end();
        throw error;
      }
      child.end();
      return undefined;
    },
    close: () => child.end(),
  };
}

/** A process that answers one message at a time. */
class BoundedChild<Task> {
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private readonly ended: Promise<undefined>;
  private answer: (outcome: Outcome<unknown>) => void = () => {};
  private isLate = false;
  private errors = "";

  constructor(
    private readonly program: string,
    private readonly limits: Limits,
    { source, isStream }: { source: Source | undefined; isStream: boolean },
  ) {
    const child = start(program, limits, isStream);
    this.child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-10_000);
    });
    this.ended = new Promise((resolve, reject) => {
      child.once("close", () => resolve(undefined)).once("error", reject);
    });
    // Whoever asks next gets the error.
    this.ended.catch(() => undefined);
    this.ready = new Promise((resolve) => {
      child.on("message", (answer: Answer<unknown>) => {
        if (answer === "ready") resolve();
        else if ("start" in answer) void reply(source, answer).then((sent) => this.send(sent));
        else this.answer(answer);
      });
    });
  }

  /** Returns the program's answer; throws if it failed, passed a limit, or has ended. */
  async ask(message: Message<Task>): Promise<unknown> {
    await this.within(START_MS, Promise.race([this.ready, this.ended]));
    const answered = new Promise<Outcome<unknown>>((resolve) => {
      this.answer = resolve;
    });
    this.send(message);
    const outcome = await this.within(this.limits.limitMs, Promise.race([answered, this.ended]));
    if (!outcome) throw this.reasonOfEnd();
    if ("failed" in outcome) throw fromThreadError(outcome.failed);
    return outcome.done;
  }

  end(): void {
    this.child.kill("SIGKILL");
  }

  /** Ends the process if it takes longer. */
  private async within<Value>(ms: number, what: Promise<Value>): Promise<Value> {
    const timer = setTimeout(() => {
      this.isLate = true;
      this.end();
    }, ms);
    try {
      return await what;
    } finally {
      clearTimeout(timer);
    }
  }

  private send(message: Sent<Task>) {
    // If the child has ended meanwhile, its end is what matters.
    this.child.send(message, () => {});
  }

  private reasonOfEnd(): Error {
    const { limitMs, heapMib, exceeded } = this.limits;
    const { signalCode, exitCode } = this.child;
    if (this.isLate || signalCode === "SIGXCPU") return exceeded(`took longer than ${limitMs / 1000} s`, this.errors);
    if (this.errors.includes("heap out of memory"))
      return exceeded(`needs more than ${heapMib} MiB of memory`, this.errors);
    return new Error(`${path.basename(this.program)} ended without an answer (${signalCode ?? exitCode}).`, {
      cause: this.errors,
    });
  }
}

/** Starts the program without what this process knows: no environment, no open files. */
function start(program: string, { limitMs, heapMib }: Pick<Limits, "limitMs" | "heapMib">, isStream: boolean) {
  // A program whose parent was killed sees that its channel is closed, unless it never waits; then the system ends it. Its
  // collector of garbage computes beside it. One with many results looks after its parent itself.
  const cpuSeconds = isStream ? "unlimited" : 2 + Math.ceil((2 * limitMs) / 1000);
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
