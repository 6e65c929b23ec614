import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { type FeedbackRow, feedbackJson, feedbackRows } from "./feedback-rows";
import type { SnapshotFeedback } from "./schemas";

/** More feedback than this on one conversation comes from a program. */
const READ_MAX = 1000;

/** Returns the feedback on these conversations by their id, oldest first. */
export async function feedbackOf(ctx: Ctx, conversationIds: readonly string[]) {
  const found = new Map<string, SnapshotFeedback[]>();
  if (conversationIds.length === 0) return found;
  const rows = await ctx.db.execute<FeedbackRow>(
    feedbackRows(
      sql`f.project_id = ${ctx.projectId} and f.conversation_id = any(${textArray([...conversationIds])})`,
      sql`f.given_at, f.id`,
    ),
  );
  for (const row of rows) {
    const list = found.get(row.conversation_id!) ?? [];
    if (list.length === READ_MAX) continue;
    const { kind, value, scale, comment, name, givenByUser, messageIndex, givenAt } = feedbackJson(row);
    list.push({ kind, value, scale, comment, name, givenByUser, messageIndex, at: givenAt });
    found.set(row.conversation_id!, list);
  }
  return found;
}

type Content = { lastActivityAt: number; positions: readonly (number | null)[] };

/**
 * Returns the feedback that belongs to a snapshot, with the indices of its messages: feedback on one of its messages,
 * whenever it was given; and feedback on the conversation, in an earlier or narrower snapshot only if given by then.
 */
export function feedbackIn(all: readonly SnapshotFeedback[], content: Content, isWhole: boolean): SnapshotFeedback[] {
  if (all.length === 0 || isWhole) return [...all];
  return feedbackOn(all, content.positions, ({ at }) => at <= content.lastActivityAt);
}

/**
 * Returns the feedback on messages at these positions, with their indices, and the feedback on the conversation that is
 * `included`.
 */
export function feedbackOn(
  all: readonly SnapshotFeedback[],
  positions: Content["positions"],
  included: (ofConversation: SnapshotFeedback) => boolean,
): SnapshotFeedback[] {
  const indexOf = new Map(positions.map((position, index) => [position, index]));
  return all.flatMap((one) => {
    if (one.messageIndex === null) return included(one) ? [one] : [];
    const messageIndex = indexOf.get(one.messageIndex);
    return messageIndex === undefined ? [] : [{ ...one, messageIndex }];
  });
}
