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
    const id = spanId.toLowerCase();
    // An array, so that a span id which a client repeats in each of its traces is looked up once, not once for each trace.
    const [found] = await ctx.db.execute<{ trace_id: string }>(sql`
      select s.trace_id from spans s
      where s.project_id = ${ctx.projectId} and s.span_id = ${id} and s.trace_id = any(array(
        select t.id from traces t where t.project_id = ${ctx.projectId} and t.conversation_id = ${conversation.id}))
      order by s.started_us, s.trace_id limit 1`);
    if (!found) throw notFound("Span");
    return { span: { traceId: found.trace_id, spanId: id } };
  },
);
