import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { watchFixesAgain } from "../../fixes/resolution-fixes";
import { type Followed, unfollowMerge } from "../../work-items/follow-merge";
import { updateConversationCounts } from "../counts/conversation-counts";
import { recountFindings } from "../counts/recount-findings";
import type { ChangeEvent, Undone } from "../finding-events";
import { lockFindings } from "../record-occurrences";
import { mergeFindings } from "./merge-findings";
import { moveOccurrences } from "./move-occurrences";

/** Locks the Rules of Findings, before any of their rows. */
export async function lockRulesOf(tx: Ctx, findingIds: readonly string[]) {
  const rules = await tx.db.execute<{ rule_id: string }>(sql`
    select distinct rule_id from findings where project_id = ${tx.projectId} and id = any(${textArray(findingIds)})`);
  await lockFindings(
    tx,
    [...rules].map(({ rule_id }) => rule_id),
  );
}

/** Restores the Findings that a merge by hand joined, each with its causes and their occurrences since. */
export async function undoMerge(tx: Ctx, events: readonly ChangeEvent[]): Promise<Undone> {
  await lockRulesOf(
    tx,
    events.map((event) => event.finding_id),
  );
  const undone: Undone = { restored: [], skipped: [] };
  const merged = events.flatMap(({ finding_id, kind, detail }) =>
    kind === "merged" && typeof detail.into === "string"
      ? [
          {
            id: finding_id,
            into: detail.into,
            causeIds: detail.causeIds as string[],
            ticket: detail.ticket as Followed | undefined,
          },
        ]
      : [],
  );
  for (const { id, into, causeIds, ticket } of merged.reverse()) {
    const restored = await tx.db.execute(sql`
      update findings set merged_into_id = null, updated_at = ${NOW}
      where project_id = ${tx.projectId} and id = ${id} and merged_into_id = ${into} returning id`);
    if (restored.length === 0) {
      undone.skipped.push(id);
      continue;
    }
    await tx.db.execute(sql`
      update finding_causes set finding_id = ${id}
      where project_id = ${tx.projectId} and finding_id = ${into} and id = any(${textArray(causeIds)})`);
    // A person has separated them again, so a cause similar to both must not join them.
    await tx.db.execute(sql`
      update findings set separated = true where project_id = ${tx.projectId} and id in (${id}, ${into})`);
    await moveOccurrences(tx, { from: into, to: id, causeIds });
    await recountFindings(tx, [id, into], null);
    await updateConversationCounts(tx, [id, into]);
    await watchFixesAgain(tx, id);
    if (ticket !== undefined) await unfollowMerge(tx, id, into, ticket);
    undone.restored.push(id);
  }
  return undone;
}

/** Moves what a split took back to the Finding that it came from. */
export async function undoSplit(tx: Ctx, events: readonly ChangeEvent[]): Promise<Undone> {
  await lockRulesOf(
    tx,
    events.map((event) => event.finding_id),
  );
  const undone: Undone = { restored: [], skipped: [] };
  for (const { finding_id: id, kind, detail } of events) {
    if (kind !== "split" || typeof detail.from !== "string") continue;
    const both = await tx.db.execute(sql`
      select id from findings
      where project_id = ${tx.projectId} and id in (${id}, ${detail.from}) and merged_into_id is null for update`);
    if (both.length < 2) {
      undone.skipped.push(id);
      continue;
    }
    await tx.db.execute(sql`
      update occurrences set placed = false where project_id = ${tx.projectId} and finding_id = ${id} and placed`);
    await mergeFindings(tx, { into: detail.from, from: [id], origin: null });
    if (detail.separated === false) {
      await tx.db.execute(sql`
        update findings set separated = false where project_id = ${tx.projectId} and id = ${detail.from}`);
    }
    undone.restored.push(id);
  }
  return undone;
}
