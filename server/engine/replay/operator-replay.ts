import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { replayRun } from "./replay-run";

/** The operator's own: no project stands between them and the runs. A project's members read of it in their log. */
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
