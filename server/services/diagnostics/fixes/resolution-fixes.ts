import { and, eq, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { fixes } from "@/db/schema";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/**
 * Watches Findings from their resolution, in its transaction, and no longer once they are open again. A Finding whose fix
 * went out in a version, prompt, model or label that is watched is not watched a second time.
 */
export async function followResolutions(
  tx: Ctx,
  changed: readonly { before: { id: string; resolvedAt: number | null }; after: number | null }[],
) {
  for (const { before, after } of changed) {
    if (before.resolvedAt === after) continue;
    if (before.resolvedAt !== null) await endResolutionFixes(tx, before.id, before.resolvedAt);
    if (after !== null) await watchResolution(tx, before.id, after);
  }
}

const ofResolution = (tx: Ctx, findingId: string) =>
  and(eq(fixes.projectId, tx.projectId), eq(fixes.findingId, findingId), isNull(fixes.by));

async function endResolutionFixes(tx: Ctx, findingId: string, startedAt: number) {
  await tx.db
    .update(fixes)
    .set({ endedAt: NOW, endReason: "reopened", dueAt: null })
    .where(and(ofResolution(tx, findingId), eq(fixes.startedAt, startedAt)));
}

async function watchResolution(tx: Ctx, findingId: string, startedAt: number) {
  // Undoing a change resolves it again as of then.
  const [again] = await tx.db
    .update(fixes)
    .set({ endedAt: null, endReason: null, dueAt: NOW })
    .where(and(ofResolution(tx, findingId), eq(fixes.startedAt, startedAt)))
    .returning({ id: fixes.id });
  if (again) return;
  await tx.db
    .update(fixes)
    .set({ endedAt: NOW, endReason: "replaced", dueAt: null })
    .where(and(ofResolution(tx, findingId), isNull(fixes.endedAt)));
  await tx.db.execute(sql`
    insert into fixes (project_id, id, finding_id, note, started_at, due_at, actor_kind, actor_id)
    select ${tx.projectId}, ${newId("fix")}, ${findingId}, '', ${startedAt}::bigint, ${NOW}, ${tx.actor.kind}, ${idOfActor(tx.actor)}
    where not exists (
      select 1 from fixes where project_id = ${tx.projectId} and finding_id = ${findingId} and by is not null
        and started_at is not null and ended_at is null)
    on conflict do nothing`);
}

/** Records that Findings occurred again after their resolution. */
export async function markRegressed(tx: Ctx, regressed: readonly { id: string; resolvedAt: number }[]) {
  for (const { id, resolvedAt } of regressed) {
    await tx.db
      .update(fixes)
      .set({ verdict: "regressed", verdictAt: NOW })
      .where(and(ofResolution(tx, id), eq(fixes.startedAt, resolvedAt)));
  }
}

/** No longer watches the fixes of Findings that were merged into another, which takes their occurrences. */
export async function endFixesOfMerged(tx: Ctx, findingIds: readonly string[]) {
  await tx.db
    .update(fixes)
    .set({ endedAt: NOW, endReason: "merged", dueAt: null })
    .where(and(eq(fixes.projectId, tx.projectId), isOneOf(fixes.findingId, findingIds), isNull(fixes.endedAt)));
}

/** Watches the fixes of a Finding that is no longer merged. */
export async function watchFixesAgain(tx: Ctx, findingId: string) {
  await tx.db
    .update(fixes)
    .set({ endedAt: null, endReason: null, dueAt: NOW })
    .where(and(eq(fixes.projectId, tx.projectId), eq(fixes.findingId, findingId), eq(fixes.endReason, "merged")));
}
