import type { Ctx } from "@/server/platform/context";
import { csvLine } from "@/server/platform/csv";
import { PAGE_LIMIT_MAX } from "@/server/platform/schemas";
import { listAudit } from "./list-audit";
import type { AuditEntry } from "./schemas";

const COLUMNS: Record<string, (entry: AuditEntry) => unknown> = {
  time: (entry) => new Date(entry.createdAt).toISOString(),
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

/** The whole filtered log as CSV, a page at a time: it need not fit in memory. */
export async function* auditCsv(ctx: Ctx, filters: Record<string, unknown>): AsyncGenerator<string> {
  let cursor: string | undefined;
  let head = csvLine(Object.keys(COLUMNS));
  do {
    const page = await listAudit(ctx, { ...filters, limit: PAGE_LIMIT_MAX, cursor });
    const rows = page.entries.map((entry) => csvLine(Object.values(COLUMNS).map((cell) => cell(entry))));
    yield head + rows.join("");
    head = "";
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
