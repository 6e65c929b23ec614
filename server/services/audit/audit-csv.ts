import type { Ctx } from "@/server/platform/context";
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

/** Quoted as RFC 4180 has it, and never a formula: a spreadsheet would run what starts with one of these. */
export function csvCell(value: unknown) {
  const text = value == null ? "" : String(value);
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

const line = (cells: readonly unknown[]) => `${cells.map(csvCell).join(",")}\r\n`;

/** The whole filtered log as CSV, a page at a time: it need not fit in memory. */
export async function* auditCsv(ctx: Ctx, filters: Record<string, unknown>): AsyncGenerator<string> {
  let cursor: string | undefined;
  let head = line(Object.keys(COLUMNS));
  do {
    const page = await listAudit(ctx, { ...filters, limit: PAGE_LIMIT_MAX, cursor });
    const rows = page.entries.map((entry) => line(Object.values(COLUMNS).map((cell) => cell(entry))));
    yield head + rows.join("");
    head = "";
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
