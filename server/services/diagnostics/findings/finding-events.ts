import { NOW } from "@/db/now";
import { findingEvents } from "@/db/schema";
import type { FINDING_EVENT_KINDS, RULE_RUN_ORIGINS } from "@/db/schema/enumerations";
import { insertRows } from "@/db/sets";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { queueTicketChanges } from "../work-items/queue-changes";

export type FindingEventKind = (typeof FINDING_EVENT_KINDS)[number];
export type RunOrigin = (typeof RULE_RUN_ORIGINS)[number];

/** One thing that happened to a Finding. `detail` holds old and new values and ids, no content of conversations. */
export type NewFindingEvent = { findingId: string; kind: FindingEventKind; detail?: Record<string, unknown> };

/** An event of an action that is being undone. */
export type ChangeEvent = { finding_id: string; kind: FindingEventKind; detail: Record<string, unknown> };
/** The Findings that an undo restored, and those that changed since. */
export type Undone = { restored: string[]; skipped: string[] };

type Cause = { origin?: RunOrigin | null; changeId?: string | null; fromTracker?: boolean; at?: number | undefined };

/**
 * Adds events to the history of Findings, in the transaction of the change. `origin` is that of the Runs that caused it, by
 * which notifications ignore backfills; `changeId` identifies all changes of one action by a person. Queues changes of linked
 * tickets, except for events that come `fromTracker`. `at`: when it happened, if not now (Unix ms).
 */
export async function recordEvents(
  tx: Ctx,
  events: readonly NewFindingEvent[],
  { origin = null, changeId = null, fromTracker = false, at }: Cause = {},
) {
  await insertRows(tx.db, findingEvents, {
    same: { project_id: tx.projectId, at: at ?? NOW, actor_kind: tx.actor.kind },
    rows: events.map(({ findingId, kind, detail = {} }) => ({
      id: newId("fev"),
      finding_id: findingId,
      change_id: changeId,
      kind,
      actor_id: idOfActor(tx.actor),
      origin,
      detail,
    })),
  });
  if (!fromTracker) await queueTicketChanges(tx, events);
}
