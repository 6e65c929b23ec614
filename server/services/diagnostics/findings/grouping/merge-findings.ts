import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { endFixesOfMerged } from "../../fixes/resolution-fixes";
import { followMerge } from "../../work-items/follow-merge";
import { updateConversationCounts } from "../counts/conversation-counts";
import { recountFindings } from "../counts/recount-findings";
import { type RunOrigin, recordEvents } from "../finding-events";
import { moveOccurrences } from "./move-occurrences";

type Merge = {
  into: string;
  from: readonly string[];
  /** Origin of the Runs whose cause joins them; `null` for a merge by hand. */
  origin: RunOrigin | null;
  changeId?: string;
};

/**
 * Merges Findings into one, which takes over their causes and occurrences. The others remain without occurrences and
 * unlisted, for links to them and for undoing. A merge by hand pins the causes, so that later occurrences follow it.
 */
export async function mergeFindings(tx: Ctx, { into, from, origin, changeId }: Merge) {
  for (const id of from) {
    const moved = await tx.db.execute<{ id: string }>(sql`
      update finding_causes set finding_id = ${into}, pinned = pinned or ${origin === null}
      where project_id = ${tx.projectId} and finding_id = ${id} returning id`);
    await moveOccurrences(tx, { from: id, to: into });
    const causeIds = [...moved].map((row) => row.id).sort();
    const ticket = await followMerge(tx, id, into);
    await recordEvents(
      tx,
      [
        { findingId: into, kind: "merged", detail: { from: id } },
        { findingId: id, kind: "merged", detail: { into, causeIds, ...(ticket && { ticket }) } },
      ],
      { origin, changeId: changeId ?? null },
    );
  }
  await tx.db.execute(sql`
    update findings set merged_into_id = ${into}, occurrence_count = 0, user_count = 0, recent_affected = 0,
      affected_cost = null, unpriced_call_count = 0, recount_due_at = null, escalating_since = null, updated_at = ${NOW}
    where project_id = ${tx.projectId} and id = any(${textArray(from)})`);
  await endFixesOfMerged(tx, from);
  await tx.db.execute(sql`
    delete from finding_days where project_id = ${tx.projectId} and finding_id = any(${textArray(from)})`);
  await tx.db.execute(sql`
    update findings f set separated = true
    where f.project_id = ${tx.projectId} and f.id = ${into} and exists (
      select 1 from findings m where m.project_id = f.project_id and m.id = any(${textArray(from)}) and m.separated)`);
  if (origin === null) {
    await tx.db.execute(sql`
      update finding_causes set pinned = true where project_id = ${tx.projectId} and finding_id = ${into}`);
  }
  await recountFindings(tx, [into], origin);
  await updateConversationCounts(tx, [into]);
}
