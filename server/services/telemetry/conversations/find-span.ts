import { sql } from "drizzle-orm";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findSpanInput, foundSpanReply } from "../schemas";
import { findConversation } from "./find-conversation";

export const findSpan = verb(
  {
    name: "conversations.findSpan",
    summary: "Find the trace that contains a span of a conversation.",
    description:
      "Evidence refers to a span by its `spanId` only; reading the span requires its trace id. `conversationId` is Whetstone's id or the client's own.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: findSpanInput,
    reply: foundSpanReply,
  },
  async (ctx, { conversationId, spanId }) => {
    const conversation = await findConversation(ctx, conversationId);
    const [found] = await ctx.db.execute<{ trace_id: string }>(sql`
      select s.trace_id from traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id
      where t.project_id = ${ctx.projectId} and t.conversation_id = ${conversation.id}
        and s.span_id = ${spanId.toLowerCase()}
      order by s.started_us, s.trace_id limit 1`);
    if (!found) throw notFound("Span");
    return { span: { traceId: found.trace_id, spanId: spanId.toLowerCase() } };
  },
);
