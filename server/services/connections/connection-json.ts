import type { connections } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { type Connection, DEFAULT_SETTINGS } from "./schemas";

type Row = typeof connections.$inferSelect;

/** Converts a connection to its public form, without the secret. */
export const connectionJson = (row: Row, pollProblems: Connection["pollProblems"] = []): Connection => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  baseUrl: row.baseUrl,
  // Validated against the schema of its kind when stored, and against the reply's schema again. Older rows lack newer settings.
  settings: { ...DEFAULT_SETTINGS[row.kind], ...row.settings } as Connection["settings"],
  secretSet: row.secretSealed !== null,
  webhookSet: row.webhookSecretSealed !== null,
  lastTest: row.lastTest,
  pollProblems,
  ticketFields: row.ticketFields,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Returns what the caller may see: without the right to manage connections, only id, kind and name. */
export const shownTo = (ctx: Ctx, row: Row, pollProblems?: Connection["pollProblems"]) => {
  const { id, kind, name } = row;
  return hasCapability(ctx, ["connections:manage"]) ? connectionJson(row, pollProblems) : { id, kind, name };
};

/** Returns what the audit log records of a connection. */
export const audited = ({ kind, name, baseUrl, settings, secretSealed, ticketFields }: Row) => ({
  kind,
  name,
  baseUrl,
  settings,
  ticketFields,
  secretSet: secretSealed !== null,
});
