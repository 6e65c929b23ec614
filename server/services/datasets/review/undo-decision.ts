import { and, desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { exampleCandidates } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { lockDataset } from "../examples/lock-dataset";
import { writeExamples } from "../examples/write-examples";
import {
  type CandidateRow,
  candidateJson,
  changeCandidate,
  isCandidate,
  ofLivingDataset,
  reviewerOf,
} from "./candidates";
import { claimEnd } from "./claim-candidate";
import { reviewCounterOf } from "./review-counter";
import { decidedReply, decidedWriteOnly } from "./schemas";

export const undoDecision = verb(
  {
    name: "reviewQueue.undo",
    summary: "Undo the caller's last approval or rejection.",
    description:
      "The candidate waits again and is open for the caller; an Example that the approval created is removed. 409 if the Example has since been changed or deleted, 404 if there is nothing to undo.",
    effect: "write",
    capability: "models:manage",
    input: z.strictObject({}),
    reply: decidedReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: decidedWriteOnly },
  },
  async (ctx) => {
    const last = await lastDecision(ctx);
    if (last.exampleId !== null) await removeExample(ctx, last, last.exampleId);
    else await lockUnchanged(ctx, last);
    const row = await changeCandidate(ctx, last.id, {
      status: "waiting",
      reviewedBy: null,
      reviewedAt: null,
      rejectReason: null,
      exampleId: null,
      claimedBy: reviewerOf(ctx),
      claimedUntil: claimEnd,
    });
    auditNote(ctx, {
      target: { type: "candidate", id: row.id },
      before: { status: last.status, exampleId: last.exampleId },
      after: { status: row.status, exampleId: null },
    });
    return { candidate: candidateJson(row), counter: await reviewCounterOf(ctx) };
  },
);

async function lastDecision(ctx: Ctx): Promise<CandidateRow> {
  const [row] = await ctx.db
    .select()
    .from(exampleCandidates)
    .where(
      and(
        eq(exampleCandidates.projectId, ctx.projectId),
        eq(exampleCandidates.reviewedBy, reviewerOf(ctx)),
        ofLivingDataset,
      ),
    )
    .orderBy(desc(exampleCandidates.reviewedAt), desc(exampleCandidates.id))
    .limit(1);
  if (!row) throw new ServiceError("not_found", "You have no decision to undo.");
  return row;
}

async function removeExample(tx: Ctx, last: CandidateRow, exampleId: string) {
  const dataset = await lockDataset(tx, last.datasetId);
  await lockUnchanged(tx, last);
  // A changed Example has a second revision, or one written after its creation.
  const [example] = await tx.db.execute<{ unchanged: boolean }>(sql`
    select count(*) = 1 and bool_and(to_version is null and updated_at = created_at) as unchanged
    from example_revisions
    where project_id = ${tx.projectId} and dataset_id = ${last.datasetId} and example_id = ${exampleId}`);
  if (!example?.unchanged)
    throw new ServiceError("conflict", "The Example has been changed or deleted since it was approved.");
  await writeExamples(tx, dataset, [{ kind: "delete", exampleId }], { kind: "edit" });
}

/** Locks the candidate. Another request may have undone the decision in the meantime. */
async function lockUnchanged(tx: Ctx, { id, reviewedAt }: CandidateRow) {
  const [row] = await tx.db.select().from(exampleCandidates).where(isCandidate(tx, id)).for("update");
  if (row?.reviewedAt !== reviewedAt) throw new ServiceError("conflict", "The decision was already undone.");
}
