import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree } from "../../e2e/support/process-tree";

export const VICTIMS = ["web", "worker", "database", "process of the database"] as const;
export type Victim = (typeof VICTIMS)[number];

/** A database replays what was committed; a child that crashed often is started after a pause of half a minute at most. */
const BACK_WITHIN_MS = 90_000;
const LOOK_MS = 50;

/** The processes of the product that keeps its data in `dataDir`, and how to end one of them without a word. */
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
      return undefined; // the file is not there while a server starts
    }
  }

  const isReady = async () => {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => {});
    return reply?.ok ?? false;
  };

  return {
    /** Ends it with SIGKILL and answers which process it was; nothing when there is none at the moment. */
    kill(victim: Victim): number | undefined {
      const pid = pidOf(victim);
      if (!pid) return undefined;
      try {
        process.kill(pid, "SIGKILL");
        return pid;
      } catch {
        return undefined; // it ended between the look and the kill
      }
    },
    /** Waits until another process stands in its place and the product is ready; the milliseconds, or null for never. */
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
