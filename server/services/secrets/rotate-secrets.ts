import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { transact } from "@/server/platform/database/transact";
import { keyRingRotated } from "@/server/platform/jobs/events";
import { replaceCurrentRingKey } from "@/server/platform/key-ring";
import { emit } from "@/server/platform/outbox";

/**
 * Creates a new ring key. New secrets are encrypted under it from this commit on, and a job rewraps the stored ones.
 * Returns the new key's id.
 */
export const rotateSecrets = (db: Db): Promise<string> =>
  transact(db, async (tx) => {
    const ringKey = await replaceCurrentRingKey(tx);
    await recordAudit(tx, {
      action: "secrets.rotate",
      projectId: null,
      actor: { kind: "operator", id: null },
      target: { type: "ringKey", id: ringKey },
    });
    await emit(tx, keyRingRotated.create({ ringKey }));
    return ringKey;
  });
