import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The environment variable that identifies the deployment of a model's server. */
const FOLDER_VARIABLE = "WHETSTONE_DEPLOYMENT";

export type Server = { pid: number; deploymentId: string };

/** Returns every process on this machine that serves a deployment of the trainer's home. Linux only, like browser tests. */
export function serversOf(home: string): Server[] {
  const marker = `${FOLDER_VARIABLE}=${path.join(home, "deployments")}${path.sep}`;
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const given = readFileSync(`/proc/${entry}/environ`, "utf8").split("\0");
      const folder = given.find((one) => one.startsWith(marker));
      return folder ? [{ pid: Number(entry), deploymentId: folder.slice(marker.length) }] : [];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

/** Stops them all. */
export function stopServersOf(home: string): void {
  for (const { pid } of serversOf(home)) {
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It ended meanwhile.
    }
  }
}
