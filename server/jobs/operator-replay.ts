import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { replayRun } from "./replay-run";

/** The operator's own: no project stands between them and the runs. */
export const operatorReplay = (db: Db, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    await replayRun(tx, id);
    await recordAudit(tx, {
      action: "jobs.replay",
      projectId: null,
      actor: { kind: "operator", id: null },
      target: { type: "run", id },
    });
  });
