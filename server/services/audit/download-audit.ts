import type { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { csvLine } from "@/server/platform/csv";
import { PAGE_LIMIT_MAX } from "@/server/platform/schemas";
import { streamVerb } from "@/server/platform/stream-verb";
import { listAudit } from "./list-audit";
import { type AuditEntry, downloadAuditInput } from "./schemas";

type Filters = z.output<typeof downloadAuditInput>;

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

/** Reads the filtered log page by page, so that it need not fit in memory. */
async function* rowsOf(ctx: Ctx, filters: Filters, signal: AbortSignal): AsyncGenerator<string> {
  let cursor: string | undefined;
  let head = csvLine(Object.keys(COLUMNS));
  do {
    signal.throwIfAborted();
    const page = await listAudit(ctx, { ...filters, limit: PAGE_LIMIT_MAX, cursor });
    const rows = page.entries.map((entry) => csvLine(Object.values(COLUMNS).map((cell) => cell(entry))));
    yield head + rows.join("");
    head = "";
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

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
  async (ctx, filters, { signal }) => ({
    mediaType: "text/csv",
    fileName: "audit-log.csv",
    body: rowsOf(ctx, filters, signal),
  }),
);
