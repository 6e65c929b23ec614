import { and, eq, inArray } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { namedActors } from "@/server/services/members";
import { readWorkItem, type WorkItemRow } from "./rows";
import type { WorkItem } from "./schemas";

/** Converts rows to their JSON form, with the titles of their Findings. */
export async function workItemsJson(ctx: Ctx, rows: readonly WorkItemRow[]): Promise<WorkItem[]> {
  const ids = [...new Set(rows.map(({ findingId }) => findingId))];
  const titles = await ctx.db
    .select({ id: findings.id, title: findings.title })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), inArray(findings.id, ids)));
  const titleOf = new Map(titles.map(({ id, title }) => [id, title]));
  const creatorOf = ({ actorKind, actorId }: WorkItemRow) => ({ kind: actorKind, id: actorId });
  const named = await namedActors(ctx, rows.map(creatorOf));
  return rows.map((row) => ({
    ...row,
    nextAttemptAt: row.error === null ? null : row.dueAt,
    findingTitle: titleOf.get(row.findingId) ?? "",
    createdBy: named(creatorOf(row)),
  }));
}

/** Reads a work item for the reply to an operation on it. */
export async function workItemAfter(ctx: Ctx, id: string) {
  const [workItem] = await workItemsJson(ctx, [await readWorkItem(ctx, id)]);
  return { workItem: workItem! };
}
