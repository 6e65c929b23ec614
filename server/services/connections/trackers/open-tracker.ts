import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { auditLog } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { connectionClient } from "../connection-client";
import type { Caller } from "../kinds/kind";
import { clientFor } from "../open-connection";
import { type ConnectionRow, readConnection } from "../read-connection";
import { DEFAULT_SETTINGS, SETTINGS, TRACKER_KINDS, type TrackerKind, type TrackerSettings } from "../schemas";
import { TRACKERS } from "./kinds";
import type { Tracker, TrackerOptions } from "./tracker";

/** A creation takes up to four calls, and its work item's lease outlasts them all. */
const CALL_MS = 15_000;
/** Tickets are read every few seconds, and one row an hour says so as well as hundreds. */
const AUDIT_MS = 60 * 60_000;

export type OpenTracker = { tracker: Tracker; settings: TrackerSettings };

const isTracker = (kind: string): kind is TrackerKind => TRACKER_KINDS.some((one) => one === kind);

/** Returns the settings of a connection to a tracker; those of Jira with its issue type. */
export const trackerSettingsOf = (kind: TrackerKind, settings: Record<string, unknown>) => {
  const parsed = SETTINGS[kind].parse({ ...DEFAULT_SETTINGS[kind], ...settings });
  return { issueType: null, ...parsed } as TrackerSettings & { issueType: string | null };
};

/** Returns the tracker of a connection; its use for this purpose is audited at most once an hour. Not in a transaction. */
export async function openTracker(ctx: Ctx, connectionId: string, purpose: string): Promise<OpenTracker> {
  const row = await readConnection(ctx, connectionId);
  if (!isTracker(row.kind)) throw notFound("The connection");
  if (row.secretSealed === null) throw unprocessable("/connectionId", "The connection has no secret: enter a token.");
  const settings = trackerSettingsOf(row.kind, row.settings);
  const client = (await wasAudited(ctx, row, purpose)) ? connectionClient(row) : await clientFor(ctx, row, purpose);
  return { tracker: trackerOf(row.kind, client, settings, CALL_MS), settings };
}

/** Returns the tracker that a service is, with calls of at most `timeoutMs`. */
export const trackerOf = (kind: TrackerKind, service: Caller, options: TrackerOptions, timeoutMs: number): Tracker =>
  TRACKERS[kind](withTimeout(service, timeoutMs), options);

export const withTimeout = ({ request, json, fetch, ...rest }: Caller, timeoutMs: number): Caller => ({
  ...rest,
  request: (call) => request({ timeoutMs, ...call }),
  json: (call, reply) => json({ timeoutMs, ...call }, reply),
  fetch: (input, init, limits) => fetch(input, init, { timeoutMs, ...limits }),
});

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
