import { and, eq, inArray, sql } from "drizzle-orm";
import { findings, workItems } from "@/db/schema";
import { LINKED_STATES } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

export type WorkItemRow = typeof workItems.$inferSelect;

export const whichItem = ({ projectId }: Ctx, id: string) =>
  and(eq(workItems.projectId, projectId), eq(workItems.id, id));

/** Reads a work item. If a Finding is given, another Finding's work item is a 404. */
export async function readWorkItem(ctx: Ctx, id: string, findingId?: string): Promise<WorkItemRow> {
  const [row] = await ctx.db
    .select()
    .from(workItems)
    .where(and(whichItem(ctx, id), findingId === undefined ? undefined : eq(workItems.findingId, findingId)));
  if (!row) throw notFound("The work item");
  return row;
}

/**
 * Locks a work item and its Finding, the Finding first, as every change of a Finding does. A merge may have moved the item
 * since it was read; then its current Finding is locked too. The weaker lock on the item lets others queue changes for it.
 */
export async function lockWorkItem(tx: Ctx, id: string, findingId: string): Promise<WorkItemRow> {
  await lockFinding(tx, findingId);
  const { findingId: current } = await readWorkItem(tx, id);
  if (current !== findingId) await lockFinding(tx, current);
  const [row] = await tx.db.select().from(workItems).where(whichItem(tx, id)).for("no key update");
  if (!row) throw notFound("The work item");
  return row;
}

export type FindingState = Pick<
  typeof findings.$inferSelect,
  "id" | "reviewStatus" | "resolutionStatus" | "mergedIntoId"
>;

/** Reads the state of a Finding, even of a merged one. */
export async function readFindingState(ctx: Ctx, findingId: string): Promise<FindingState> {
  const [row] = await selectFinding(ctx, findingId);
  if (!row) throw notFound("Finding");
  return row;
}

/** Locks a Finding, even a merged one. */
export async function lockFinding(tx: Ctx, findingId: string): Promise<FindingState> {
  const [row] = await selectFinding(tx, findingId).for("update");
  if (!row) throw notFound("Finding");
  return row;
}

function selectFinding(ctx: Ctx, findingId: string) {
  const { id, reviewStatus, resolutionStatus, mergedIntoId } = findings;
  return ctx.db
    .select({ id, reviewStatus, resolutionStatus, mergedIntoId })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
}

/** Returns the work item that a Finding is linked to. */
export async function linkedItem(ctx: Ctx, findingId: string): Promise<WorkItemRow | undefined> {
  const [row] = await ctx.db
    .select()
    .from(workItems)
    .where(
      sql`${eq(workItems.projectId, ctx.projectId)} and ${eq(workItems.findingId, findingId)} and ${inArray(workItems.state, LINKED_STATES)}`,
    );
  return row;
}
