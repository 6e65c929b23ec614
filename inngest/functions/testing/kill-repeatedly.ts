import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledProgram } from "@/db/testing/bundled-program";
import { newRandom } from "@/db/testing/random";

const POLL_MS = 5;

/** For tests: ends a process as a crash or the kernel would. */
export async function kill(child: ChildProcess) {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
  child.kill("SIGKILL");
  await exited;
}

type Work = {
  /** Arguments of `killed-process.ts`. */
  args: readonly string[];
  isRunning: () => Promise<boolean>;
  /** A number that grows with every commit: a process is killed soon after it has grown, however fast the machine is. */
  progress?: () => Promise<number>;
  /** The maximum random time from the progress, or from the start, to the kill. */
  withinMs: number;
};

/**
 * For tests: lets processes continue a piece of work, kills up to `most` of them at random moments, and lets the last one
 * finish. Returns how many were killed while the work was in progress.
 */
export async function killRepeatedly({ args, isRunning, progress, withinMs }: Work, most: number): Promise<number> {
  let kills = 0;
  const random = newRandom();
  const program = await bundledProgram(path.join(import.meta.dirname, "killed-process.ts"));
  const start = () => program.start(args);
  let next: Promise<ChildProcess> | undefined = start();
  while (await isRunning()) {
    const child = await (next ?? start());
    // Started ahead of time, because a process takes longer to start than it lives; the last one lives until the work is done.
    next = kills < most ? start() : undefined;
    const before = await progress?.();
    child.send("go");
    if (kills === most) {
      if (child.exitCode === null) await once(child, "exit");
      continue;
    }
    while (progress && child.exitCode === null && (await progress()) === before) await sleep(POLL_MS);
    await sleep(random() * withinMs);
    const isAlive = child.exitCode === null;
    await kill(child);
    if (isAlive && (await isRunning())) kills += 1;
  }
  if (next) await kill(await next);
  await program.remove();
  return kills;
}
