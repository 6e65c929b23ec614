import { conversations, exampleCandidates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { contentHashOf } from "../chat-payload";
import { smallPayload } from "../chat-payload/testing";

type Options = { question?: string; reason?: string; userId?: string };

/** For tests: stores a conversation and a candidate for its answer, as collection would, and returns the candidate's id. */
export async function storedCandidate(ctx: Ctx, datasetId: string, { question, reason, userId }: Options = {}) {
  const id = newId("cand");
  const asked = question ?? `Where is order ${id}?`;
  const conversationId = newId("conv");
  await ctx.db.insert(conversations).values({
    projectId: ctx.projectId,
    id: conversationId,
    key: `trace:${conversationId}`,
    userId: userId ?? null,
    startedAt: 1,
    lastActivityAt: 2,
    receivedAt: 2,
  });
  const payload = smallPayload(asked);
  await ctx.db.insert(exampleCandidates).values({
    projectId: ctx.projectId,
    id,
    datasetId,
    objective: "preserve_successful_behavior",
    reasonCode: "thumbs_up",
    reason: reason ?? "A user gave a thumbs up.",
    sourceKind: "conversation",
    conversationId,
    userId: userId ?? null,
    turn: 1,
    payload,
    contentHash: contentHashOf(payload),
    provenanceKey: id,
    signature: [],
    bands: [],
  });
  return id;
}
