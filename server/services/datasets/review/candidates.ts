import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { exampleCandidates } from "@/db/schema";
import { ACTOR_KINDS } from "@/db/schema/enumerations";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { ChatPayload } from "../chat-payload/schemas";
import type { Candidate } from "./schemas";

export type CandidateRow = typeof exampleCandidates.$inferSelect;

export const candidateJson = (row: CandidateRow): Candidate => {
  const { sourceKind: kind, conversationId, turn, findingId, knowledgeGoalId, ...rest } = row;
  return {
    ...rest,
    payload: row.payload as ChatPayload,
    source: { kind, conversationId, turn, findingId, knowledgeGoalId },
  };
};

export const isCandidate = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(exampleCandidates.projectId, projectId), eq(exampleCandidates.id, id));

/** Excludes candidates of Datasets that are being deleted from every list. */
export const ofLivingDataset = sql`exists (
  select 1 from datasets d
  where d.project_id = ${exampleCandidates.projectId} and d.id = ${exampleCandidates.datasetId} and d.deleted_at is null)`;

/** Returns the reviewer's id: a member's or a key's. */
export const reviewerOf = ({ actor }: Ctx) => idOfActor(actor) ?? actor.kind;

/** Returns the actor for an id from `reviewerOf`. */
export function actorOfReviewer(id: string): { kind: (typeof ACTOR_KINDS)[number]; id: string | null } {
  const withoutId = ACTOR_KINDS.find((kind) => kind === id);
  if (withoutId) return { kind: withoutId, id: null };
  return { kind: id.startsWith("key_") ? "apiKey" : "user", id };
}

/** Reads a candidate without locking it: its Dataset is locked first. */
export async function readCandidate(ctx: Ctx, id: string): Promise<CandidateRow> {
  const [row] = await ctx.db
    .select()
    .from(exampleCandidates)
    .where(and(isCandidate(ctx, id), ofLivingDataset));
  if (!row) throw notFound("The candidate");
  return row;
}

/**
 * Locks a candidate that the caller is about to decide on. Throws `conflict` if it is already decided or another reviewer has
 * it open.
 */
export async function lockWaiting(tx: Ctx, id: string): Promise<CandidateRow> {
  const [found] = await tx.db
    .select({ row: exampleCandidates, now: NOW })
    .from(exampleCandidates)
    .where(and(isCandidate(tx, id), ofLivingDataset))
    .for("update", { of: exampleCandidates });
  if (!found) throw notFound("The candidate");
  const { row, now } = found;
  if (row.status !== "waiting") throw new ServiceError("conflict", `The candidate was already ${row.status}.`);
  if (row.claimedBy !== null && row.claimedBy !== reviewerOf(tx) && (row.claimedUntil ?? 0) > Number(now))
    throw new ServiceError("conflict", "Another reviewer has this candidate open. Take the next one.");
  return row;
}

/** Changes a locked candidate and returns it. */
export async function changeCandidate(
  tx: Ctx,
  id: string,
  changes: Partial<Omit<typeof exampleCandidates.$inferInsert, "claimedUntil" | "reviewedAt" | "skippedAt">> & {
    claimedUntil?: typeof NOW | null;
    reviewedAt?: typeof NOW | null;
    skippedAt?: typeof NOW | null;
  },
): Promise<CandidateRow> {
  const [row] = await tx.db.update(exampleCandidates).set(changes).where(isCandidate(tx, id)).returning();
  if (!row) throw new Error("The update of a locked candidate returned no row.");
  return row;
}
