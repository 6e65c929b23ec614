import type { Db } from "@/db/client";
import { deployments } from "@/db/schema";
import { deploymentDue } from "@/server/platform/jobs/events";
import {
  attachedTrainers,
  isOnline,
  openTrainer,
  TrainerRefused,
  TrainerUnreachable,
  wakeDue,
} from "@/server/services/trainers";
import { queueCleanup } from "./change-deployment";
import { liveIdsOf } from "./wire-deployment";

const TIMEOUT_MS = 5000;
/** Not a project: these calls have their own share of the outbound calls. */
const INSTALLATION = "installation";

/** Wakes the due deployments of all projects, oldest first. */
export const wakeDeployments = (db: Db): Promise<number> =>
  wakeDue(db, deployments, ({ projectId, id }) => deploymentDue.create({ projectId, deploymentId: id }));

/**
 * Makes trainers stop deployments that have ended here: a request to serve that was in flight when its sender died may still
 * arrive. Deployments of other installations are left alone. Returns how many were found.
 */
export async function stopOrphans(db: Db): Promise<number> {
  let found = 0;
  for (const row of (await attachedTrainers(db)).filter(isOnline)) {
    try {
      const trainer = await openTrainer(db, row.id);
      const call = { method: "GET" as const, path: "/deployments", timeoutMs: TIMEOUT_MS, projectId: INSTALLATION };
      const ids = liveIdsOf((await trainer.request(call)).json);
      if (ids.length > 0) found += (await queueCleanup({ db }, ids)).length;
    } catch (error) {
      if (!(error instanceof TrainerUnreachable || error instanceof TrainerRefused)) throw error;
    }
  }
  return found;
}
