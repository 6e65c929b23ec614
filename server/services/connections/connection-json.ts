import type { connections } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { type Connection, DEFAULT_SETTINGS } from "./schemas";

type Row = typeof connections.$inferSelect;

/** Returns a connection as it is shown, without its secret. */
export const connectionJson = (row: Row, pollProblems: Connection["pollProblems"] = []): Connection => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  baseUrl: row.baseUrl,
  // Held to the schema of its kind when it was stored, and to the reply's again. Older ones lack newer settings.
  settings: { ...DEFAULT_SETTINGS[row.kind], ...row.settings } as Connection["settings"],
  secretSet: row.secretSealed !== null,
  webhookSet: row.webhookSecretSealed !== null,
  lastTest: row.lastTest,
  pollProblems,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Returns what the caller may see: whoever does not manage connections sees which there are. */
export const shownTo = (ctx: Ctx, row: Row, pollProblems?: Connection["pollProblems"]) => {
  const { id, kind, name } = row;
  return hasCapability(ctx, ["connections:manage"]) ? connectionJson(row, pollProblems) : { id, kind, name };
};

/** What the audit log tells of a connection. */
export const audited = ({ kind, name, baseUrl, settings, secretSealed }: Row) => ({
  kind,
  name,
  baseUrl,
  settings,
  secretSet: secretSealed !== null,
});
