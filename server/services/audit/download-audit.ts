import { type CsvColumns, listFile, timeCell } from "@/server/platform/list-file";
import { streamVerb } from "@/server/platform/stream-verb";
import { listAudit } from "./list-audit";
import { type AuditEntry, downloadAuditInput } from "./schemas";

const COLUMNS: CsvColumns<AuditEntry> = {
  time: (entry) => timeCell(entry.createdAt),
  action: (entry) => entry.action,
  actorKind: (entry) => entry.actor.kind,
  actorId: (entry) => entry.actor.id,
  actor: (entry) => entry.actor.name,
  sessionId: (entry) => entry.actor.sessionId,
  targetType: (entry) => entry.target?.type,
  targetId: (entry) => entry.target?.id,
  target: (entry) => entry.target?.name,
  before: (entry) => entry.before && JSON.stringify(entry.before),
  after: (entry) => entry.after && JSON.stringify(entry.after),
  door: (entry) => entry.door,
  requestId: (entry) => entry.requestId,
  address: (entry) => entry.address,
  id: (entry) => entry.id,
};

export const downloadAudit = streamVerb(
  {
    name: "audit.download",
    summary: "Download the audit log as CSV, newest first.",
    description: "All rows that match the filters, which are the same as for the list.",
    capability: "project:admin",
    effect: "read",
    input: downloadAuditInput,
    produces: { "text/csv": { type: "string" } },
  },
  async (ctx, filters, { signal }) =>
    listFile({
      name: "audit-log",
      format: "csv",
      columns: COLUMNS,
      signal,
      read: async (page) => {
        const { entries, pagination } = await listAudit(ctx, { ...filters, ...page });
        return { items: entries, nextCursor: pagination.nextCursor };
      },
    }),
);
