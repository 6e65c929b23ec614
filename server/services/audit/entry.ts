import type { auditLog } from "@/db/schema";
import type { AuditEntry } from "./schemas";

type Row = Omit<typeof auditLog.$inferSelect, "projectId">;

export const auditEntryOf = (row: Row, name: string | null): AuditEntry => ({
  id: row.id,
  action: row.action,
  actor: { kind: row.actorKind, id: row.actorId, name, sessionId: row.sessionId },
  target: row.targetType === null || row.targetId === null ? null : { type: row.targetType, id: row.targetId },
  before: row.before,
  after: row.after,
  door: row.door,
  requestId: row.requestId,
  address: row.address,
  createdAt: row.createdAt,
});
