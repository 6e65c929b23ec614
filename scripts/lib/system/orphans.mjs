// @ts-check
import { endProcess } from "./processes.mjs";

const ESCALATION = /** @type {const} */ ([
  { signal: "SIGTERM", withinMs: 2_000 },
  { signal: "SIGKILL", withinMs: 2_000 },
]);

/**
 * Ends the processes that a killed supervisor left behind. They usually end by themselves within moments; this waits, then
 * sends signals.
 * @param {import("./lock.mjs").Lock} lock
 * @param {import("../database/postgres.mjs").Cluster} cluster
 */
export async function endOrphans(lock, cluster) {
  await Promise.all(Object.values(lock.content.children ?? {}).map((child) => endProcess(child, ESCALATION)));
  lock.update({ children: {} });
  await cluster.stopOrphan();
}
