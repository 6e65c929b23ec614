import type { auditLog } from "@/db/schema";
import { currentAction } from "./former-actions";
import type { AuditEntry } from "./schemas";

type Row = Omit<typeof auditLog.$inferSelect, "projectId">;
/** Display names of actors and targets that are people or keys. */
type Names = { actor: string | null; target: string | null };

export const auditEntryOf = (row: Row, names: Names): AuditEntry => ({
  id: row.id,
  action: currentAction(row.action),
  actor: { kind: row.actorKind, id: row.actorId, name: names.actor, sessionId: row.sessionId },
  target:
    row.targetType === null || row.targetId === null
      ? null
      : { type: row.targetType, id: row.targetId, name: names.target },
  before: row.before,
  after: row.after,
  door: row.door,
  requestId: row.requestId,
  address: row.address,
  createdAt: row.createdAt,
});
