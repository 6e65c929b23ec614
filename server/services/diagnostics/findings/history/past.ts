import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { changeFindings } from "../review/change-findings";

type Cause = { ruleId: string; signal: string };
const CONFIRMED = { reviewStatus: "confirmed" } as const;
const FIXED = { ...CONFIRMED, resolutionStatus: "resolved" } as const;

/**
 * Marks the Findings of a Rule's Signal as confirmed at an earlier time (Unix ms), and `fixed` ones as resolved, for conversations
 * that are read long after they took place.
 */
export async function markInThePast(
  tx: Ctx,
  { ruleId, signal }: Cause,
  { at, fixed }: { at: number; fixed: boolean },
): Promise<void> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    select id from findings
    where project_id = ${tx.projectId} and rule_id = ${ruleId} and signal = ${signal} and merged_into_id is null`);
  await changeFindings(
    tx,
    [...rows].map(({ id }) => id),
    fixed ? FIXED : CONFIRMED,
    newId("fch"),
    { at },
  );
}

/**
 * Sets the times at which Findings were created and regressed to when this happened in their conversations, for a project
 * whose conversations were all sent at the same time.
 */
export async function moveToTheirTime(tx: Ctx): Promise<void> {
  await tx.db.execute(sql`
    update findings set created_at = first_detected_at
    where project_id = ${tx.projectId} and created_at > first_detected_at`);
  await tx.db.execute(sql`
    update finding_events e set at = f.first_detected_at from findings f
    where e.project_id = ${tx.projectId} and e.kind = 'created' and f.project_id = e.project_id and f.id = e.finding_id`);
  await tx.db.execute(sql`
    with regressed as (
      select e.id, e.finding_id, (
        select min(o.detected_at) from occurrences o join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
        where o.project_id = e.project_id and o.finding_id = e.finding_id
          and c.started_at > (e.detail ->> 'resolvedAt')::bigint) as at
      from finding_events e where e.project_id = ${tx.projectId} and e.kind = 'regressed'
    ), moved as (
      update finding_events e set at = r.at from regressed r
      where e.project_id = ${tx.projectId} and e.id = r.id and r.at is not null returning e.finding_id, e.at
    )
    update findings f set regressed_at = m.at from moved m
    where f.project_id = ${tx.projectId} and f.id = m.finding_id and f.regressed_at is not null`);
}
