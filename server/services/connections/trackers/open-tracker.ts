import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { confirmWrites } from "../kinds/confirm-writes";
import { withTimeout } from "../kinds/with-timeout";
import { frequentClientFor } from "../open-connection";
import { readConnection } from "../read-connection";
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
  const client = await frequentClientFor(ctx, row, purpose);
  const { kind, ticketFields } = row;
  return {
    tracker: TRACKERS[kind](confirmWrites(withTimeout(client, CALL_MS), beforeWrite), { ...settings, ticketFields }),
    settings,
    ticketFields,
  };
}
