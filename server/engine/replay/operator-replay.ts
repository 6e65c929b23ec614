import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { replayRun } from "./replay-run";

/** Replays a run of any project for the operator and records it in the project's audit log. */
export const operatorReplay = (db: Db, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { projectId } = await replayRun(tx, id);
    await recordAudit(tx, {
      action: "backgroundJobs.replay",
      projectId,
      actor: { kind: "operator", id: null },
      target: { type: "backgroundJob", id },
    });
  });
