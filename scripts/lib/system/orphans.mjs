// @ts-check
import { endProcess } from "./processes.mjs";

const ESCALATION = /** @type {const} */ ([
  { signal: "SIGTERM", withinMs: 2_000 },
  { signal: "SIGKILL", withinMs: 2_000 },
]);

/**
 * What a killed supervisor left behind ends by itself in a moment; this waits for it, and insists.
 * @param {import("./lock.mjs").Lock} lock
 * @param {import("../database/postgres.mjs").Cluster} cluster
 */
export async function endOrphans(lock, cluster) {
  await Promise.all(Object.values(lock.content.children ?? {}).map((child) => endProcess(child, ESCALATION)));
  lock.update({ children: {} });
  await cluster.stopOrphan();
}
