import type { exampleCandidates } from "@/db/schema";
import type { ChatPayload } from "../chat-payload/schemas";
import type { Draft } from "../examples/types";

/** The tag of Examples whose answer a model proposed. */
export const MODEL_TAG = "proposed-by-model";

/** Converts a candidate to a draft of its Example. */
export const draftOf = (row: typeof exampleCandidates.$inferSelect): Draft => ({
  payload: row.payload as ChatPayload,
  tags: row.proposedByModel ? [MODEL_TAG] : [],
  source: { kind: row.sourceKind, externalRef: null },
  objective: row.objective,
  link: { conversationId: row.conversationId, userId: row.userId, turn: row.turn, findingId: row.findingId },
  provenanceKey: row.provenanceKey,
});
