import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import type { TICKET_CHANGE_KINDS, TICKET_CHANGE_REASONS } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { workItemDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";

type Kind = (typeof TICKET_CHANGE_KINDS)[number];
type Reason = (typeof TICKET_CHANGE_REASONS)[number];

/** How a ticket changes when this happens to its Finding. Settings of the connection may turn the change into a comment. */
const TOLD: Readonly<Record<string, { kind: Kind; reason: Reason }>> = {
  regressed: { kind: "reopen", reason: "regressed" },
  reopened: { kind: "reopen", reason: "reopened" },
  resolved: { kind: "close", reason: "resolved" },
  dismissed: { kind: "comment", reason: "dismissed" },
  fix_proven: { kind: "comment", reason: "fix_proven" },
  fix_not_proven: { kind: "comment", reason: "fix_not_proven" },
};

/** Queues changes of the tickets that are linked to Findings, in the transaction of the events. */
export async function queueTicketChanges(tx: Ctx, events: readonly { findingId: string; kind: string }[]) {
  const notices = events.flatMap(({ findingId, kind }) => {
    const change = Object.hasOwn(TOLD, kind) ? TOLD[kind] : undefined;
    return change === undefined ? [] : [{ id: newId("tch"), finding_id: findingId, ...change }];
  });
  if (notices.length === 0) return;
  const queued = await tx.db.execute<{ work_item_id: string }>(sql`
    insert into ticket_changes (project_id, id, work_item_id, kind, state, reason)
    select w.project_id, t.id, w.id, t.kind, 'queued', t.reason
    from ${rowsOf(notices, "id text, finding_id text, kind text, reason text")}
    join work_items w on w.project_id = ${tx.projectId} and w.finding_id = t.finding_id and w.state in ('open', 'closed')
    returning work_item_id`);
  await wakeWorkItems(
    tx,
    [...queued].map((row) => row.work_item_id),
  );
}

/** Marks work items as due and wakes their jobs. */
export async function wakeWorkItems(tx: Ctx, ids: readonly string[]) {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return;
  await tx.db.execute(sql`
    update work_items set due_at = ${NOW}
    where project_id = ${tx.projectId} and id = any(${sql.param(distinct)}::text[])`);
  const { projectId } = tx;
  await emit(tx.db, ...distinct.map((workItemId) => workItemDue.create({ projectId, workItemId })));
}
