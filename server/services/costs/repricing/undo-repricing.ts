import { and, eq, sql } from "drizzle-orm";
import { repricings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { repricingRequested } from "@/server/platform/jobs/events";
import { errorCodes } from "@/server/platform/logging/known-error";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { requirePricingWrites } from "@/server/services/pricing";
import { repricingIdInput, repricingReply, requestedRepricingReply } from "../schemas";
import { actorColumns, readRepricing } from "./read-repricings";

type Row = typeof repricings.$inferSelect;

export const undoRepricing = verb(
  {
    name: "repricings.undo",
    summary: "Restore the previous costs of the calls that a repricing changed, in the background.",
    description:
      "Costs, the prices they are based on and their version are restored exactly. A call whose cost has been recomputed since keeps its newer cost. Rejected (409) while the repricing runs, when it is already undone, and when a later repricing has changed some of the same calls: undo that one first.",
    effect: "write",
    capability: "model-pricing:write",
    input: repricingIdInput,
    reply: repricingReply,
    writeOnlyReply: { unless: ["model-pricing:read"], reply: requestedRepricingReply },
  },
  async (ctx, { repricingId }) => {
    requirePricingWrites();
    const [row] = await ctx.db
      .select()
      .from(repricings)
      .where(and(eq(repricings.projectId, ctx.projectId), eq(repricings.id, repricingId)))
      .for("update");
    if (!row) throw notFound("Repricing");
    if (row.state !== "completed" && row.state !== "failed") {
      throw new ServiceError("conflict", REFUSED[row.state]);
    }
    await requireNothingLater(ctx, row);
    const { actorKind: undoneByKind, actorId: undoneById } = actorColumns(ctx.actor);
    await rejectIfInProgress(() =>
      ctx.db
        .update(repricings)
        .set({ state: "undoing", error: null, undoneByKind, undoneById })
        .where(and(eq(repricings.projectId, ctx.projectId), eq(repricings.id, repricingId))),
    );
    auditNote(ctx, { before: { state: row.state }, after: { state: "undoing" } });
    await emit(ctx.db, repricingRequested.create({ projectId: ctx.projectId, repricingId }));
    return { repricing: await readRepricing(ctx, repricingId) };
  },
);

const REFUSED: Record<Exclude<Row["state"], "completed" | "failed">, string> = {
  queued: "The repricing has not finished yet.",
  running: "The repricing has not finished yet.",
  undoing: "The repricing is already being undone.",
  undone: "The repricing is already undone.",
};

/** Throws when a later repricing has changed the same calls, because it recorded this one's costs as the previous ones. */
async function requireNothingLater({ db, projectId }: Ctx, { id, createdAt }: Row) {
  const [later] = await db.execute(sql`
    select 1 from repricings l
    where l.project_id = ${projectId} and (l.created_at, l.id) > (${createdAt}::bigint, ${id}::text) and exists (
      select 1 from repriced_calls theirs join repriced_calls mine
        on mine.project_id = theirs.project_id and mine.trace_id = theirs.trace_id and mine.span_id = theirs.span_id
      where theirs.project_id = l.project_id and theirs.repricing_id = l.id and mine.repricing_id = ${id})
    limit 1`);
  if (later) {
    throw new ServiceError("conflict", "A later repricing has changed some of the same calls. Undo that one first.");
  }
}

const UNIQUE_VIOLATION = "23505";

/** Turns the unique violation of a concurrent repricing or undo into a conflict. */
async function rejectIfInProgress(change: () => Promise<unknown>) {
  try {
    await change();
  } catch (error) {
    if (!errorCodes(error).includes(UNIQUE_VIOLATION)) throw error;
    throw new ServiceError("conflict", "Another repricing of this project is in progress. Wait until it has finished.");
  }
}
