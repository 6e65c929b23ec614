import { sql } from "drizzle-orm";
import { feedback } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching, keyOfExternalId } from "../ingest/conversation-key";
import { type FeedbackRow, feedbackJson, feedbackRows } from "./feedback-rows";
import { feedbackPageReply, listFeedbackInput } from "./schemas";

export const listFeedback = verb(
  {
    name: "feedback.list",
    summary: "List feedback of users and results of evaluators, newest first.",
    description:
      "`conversationId` is Whetstone's id or the client's own. `messageIndex` is the assistant message that it refers to. `givenByUser` is `false` for the result of an automatic evaluation.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFeedbackInput,
    reply: feedbackPageReply,
  },
  async (ctx, { limit, cursor, conversationId, kind }) => {
    const list = newestFirst({
      name: "feedback",
      filters: { project: ctx.projectId, conversationId, kind },
      time: feedback.givenAt,
      id: feedback.id,
      limit,
      cursor,
    });
    const where = [
      sql`f.project_id = ${ctx.projectId}`,
      ...(kind === undefined ? [] : [sql`f.kind = ${kind}`]),
      ...(conversationId === undefined ? [] : [isOn(ctx.projectId, conversationId)]),
      ...(list.position ? [sql`(f.given_at, f.id) < (${list.position[0]}::bigint, ${list.position[1]}::text)`] : []),
    ];
    const rows = await ctx.db.execute<FeedbackRow>(
      feedbackRows(sql.join(where, sql` and `), sql`f.given_at desc, f.id desc limit ${list.fetch}`),
    );
    const { rows: shown, nextCursor } = list.page([...rows], (row) => [Number(row.given_at), row.id]);
    return { feedback: shown.map(feedbackJson), pagination: { limit, nextCursor } };
  },
);

/** Condition: `f` is on this conversation, whether attached to it or still waiting for it. */
const isOn = (projectId: string, id: string) => sql`(
  f.conversation_id = any(${conversationIdsMatching(projectId, id)})
  or f.conversation_id is null and f.conversation_ref = any(
    select ${id}::text union
    select external_id from conversations
    where project_id = ${projectId} and (id = ${id} or key = ${keyOfExternalId(id)}) and external_id is not null))`;
