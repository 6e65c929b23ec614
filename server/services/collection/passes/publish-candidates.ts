import { and, asc, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { exampleCandidates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { LockedDataset, Outcome } from "@/server/services/datasets";
import { draftOf, lockConversations, writeExamples } from "@/server/services/datasets";

/** Candidates per transaction. */
const BATCH_SIZE = 500;

/**
 * Writes some of a pass's candidates into the locked Dataset, all within one version. Returns whether more are left; `wait`:
 * all that are left belong to conversations that are being changed or deleted. A model's proposals always wait for a person,
 * whatever the Dataset's setting.
 */
export async function publishSome(tx: Ctx, dataset: LockedDataset, passId: string): Promise<"more" | "done" | "wait"> {
  const rows = await tx.db
    .select()
    .from(exampleCandidates)
    .where(
      and(
        eq(exampleCandidates.projectId, tx.projectId),
        eq(exampleCandidates.datasetId, dataset.id),
        eq(exampleCandidates.passId, passId),
        eq(exampleCandidates.status, "waiting"),
        eq(exampleCandidates.proposedByModel, false),
        sql`(${exampleCandidates.claimedUntil} is null or ${exampleCandidates.claimedUntil} <= ${NOW})`,
      ),
    )
    .orderBy(asc(exampleCandidates.provenanceKey))
    .limit(BATCH_SIZE)
    .for("update");
  if (rows.length === 0) return "done";
  const { busy } = await lockConversations(
    tx,
    rows.map(({ conversationId }) => conversationId),
  );
  const free = rows.filter(({ conversationId }) => !busy.has(conversationId));
  if (free.length === 0) return "wait";
  const outcomes = await writeExamples(
    tx,
    dataset,
    free.map((row) => ({ kind: "create" as const, draft: draftOf(row) })),
    { kind: "collection", causeId: passId },
  );
  const decided = free.map(({ id }, nth) => ({ id, ...decisionOf(outcomes[nth]!) }));
  await tx.db.execute(sql`
    update example_candidates c
    set status = t.status, example_id = t.example_id, reject_reason = t.reject_reason, reviewed_at = ${NOW},
      claimed_by = null, claimed_until = null
    from ${rowsOf(decided, "id text, status text, example_id text, reject_reason text")}
    where c.project_id = ${tx.projectId} and c.id = t.id`);
  return rows.length === BATCH_SIZE || busy.size > 0 ? "more" : "done";
}

function decisionOf(outcome: Outcome) {
  if (outcome.status === "created") return { status: "approved", example_id: outcome.exampleId, reject_reason: null };
  const reason =
    outcome.status === "duplicate" ? `Duplicate of ${outcome.exampleId}.` : "The conversation was deleted.";
  return { status: "rejected", example_id: null, reject_reason: reason };
}
