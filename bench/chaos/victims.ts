import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree } from "../../testbed/product/process-tree";

export const VICTIMS = ["web", "worker", "database", "process of the database"] as const;
export type Victim = (typeof VICTIMS)[number];

/** A database replays its log; a child that crashed often restarts after a backoff of at most half a minute. */
const BACK_WITHIN_MS = 90_000;
const LOOK_MS = 50;

/** Finds and kills processes of the product with this `dataDir`. */
export function victimsOf({ url, dataDir }: { url: string; dataDir: string }, random: () => number) {
  const child = (name: "web" | "worker"): number | undefined =>
    JSON.parse(readFileSync(`${dataDir}/running.json`, "utf8")).children?.[name]?.pid;
  const server = () => {
    const lines = readFileSync(`${dataDir}/postgres/postmaster.pid`, "utf8").split("\n");
    return { pid: Number(lines[0]), ready: lines[7]?.trim() === "ready" };
  };

  function pidOf(victim: Victim): number | undefined {
    try {
      if (victim === "web" || victim === "worker") return child(victim);
      const { pid, ready } = server();
      if (!ready) return undefined;
      if (victim === "database") return pid;
      const [, ...backends] = processTree(pid);
      return backends[Math.floor(random() * backends.length)];
    } catch {
      return undefined; // the file does not exist while a server starts
    }
  }

  const isReady = async () => {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => {});
    return reply?.ok ?? false;
  };

  return {
    /** Sends SIGKILL and returns the pid; undefined when there is no such process at the moment. */
    kill(victim: Victim): number | undefined {
      const pid = pidOf(victim);
      if (!pid) return undefined;
      try {
        process.kill(pid, "SIGKILL");
        return pid;
      } catch {
        return undefined; // it ended between the lookup and the kill
      }
    },
    /** Waits until another process has replaced it and the product is ready; returns the milliseconds, or null on timeout. */
    async back(victim: Victim, killed: number): Promise<number | null> {
      const begun = performance.now();
      const replaced = () => {
        const pid = pidOf(victim);
        return pid !== undefined && (pid !== killed || victim === "process of the database");
      };
      while (!(replaced() && (await isReady()))) {
        if (performance.now() - begun > BACK_WITHIN_MS) return null;
        await sleep(LOOK_MS);
      }
      return performance.now() - begun;
    },
  };
}
