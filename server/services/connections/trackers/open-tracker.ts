import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { auditLog } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { connectionClient } from "../connection-client";
import { confirmWrites } from "../kinds/confirm-writes";
import { withTimeout } from "../kinds/with-timeout";
import { clientFor } from "../open-connection";
import { type ConnectionRow, readConnection } from "../read-connection";
import {
  DEFAULT_SETTINGS,
  isTracker,
  SETTINGS,
  type StoredTicketFields,
  type TrackerKind,
  type TrackerSettings,
} from "../schemas";
import { TRACKERS } from "./kinds";
import type { Tracker } from "./tracker";

/** Shorter than the lease of a work item. */
const CALL_MS = 15_000;
/** Tickets are read every few seconds; one audit entry an hour is enough to record that. */
const AUDIT_MS = 60 * 60_000;

/** The settings of every tracker; only Jira has issue types, only GitHub has App installations. */
type AnyTrackerSettings = TrackerSettings & { issueType: string | null; installationId: string | null };
export type OpenTracker = { tracker: Tracker; settings: AnyTrackerSettings; ticketFields: StoredTicketFields };

/** Returns the settings of a tracker connection. */
export const trackerSettingsOf = (kind: TrackerKind, settings: Record<string, unknown>) => {
  const parsed = SETTINGS[kind].parse({ ...DEFAULT_SETTINGS[kind], ...settings });
  return { issueType: null, installationId: null, ...parsed } as AnyTrackerSettings;
};

/**
 * Returns the tracker of a connection; each purpose is audited at most once an hour. `beforeWrite` is awaited before each call
 * that may change something, and prevents it by rejecting. Must not be called in a transaction.
 */
export async function openTracker(
  ctx: Ctx,
  connectionId: string,
  purpose: string,
  beforeWrite?: () => Promise<void>,
): Promise<OpenTracker> {
  const row = await readConnection(ctx, connectionId);
  if (!isTracker(row.kind)) throw notFound("The connection");
  if (row.secretSealed === null) throw unprocessable("/connectionId", "The connection has no secret: enter a token.");
  const settings = trackerSettingsOf(row.kind, row.settings);
  const client = (await wasAudited(ctx, row, purpose)) ? connectionClient(row) : await clientFor(ctx, row, purpose);
  const { kind, ticketFields } = row;
  return {
    tracker: TRACKERS[kind](confirmWrites(withTimeout(client, CALL_MS), beforeWrite), { ...settings, ticketFields }),
    settings,
    ticketFields,
  };
}

async function wasAudited(ctx: Ctx, row: ConnectionRow, purpose: string): Promise<boolean> {
  const [found] = await ctx.db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      sql`${eq(auditLog.projectId, ctx.projectId)} and ${eq(auditLog.targetId, row.id)} and ${eq(auditLog.action, "connections.use")}
        and ${auditLog.after} ->> 'purpose' = ${purpose} and ${auditLog.createdAt} > ${NOW} - ${AUDIT_MS}::bigint
        and ${auditLog.createdAt} >= ${row.updatedAt}`,
    )
    .limit(1);
  return found !== undefined;
}
