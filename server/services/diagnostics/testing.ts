import { conversationMessages, conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import type { Message } from "@/server/services/telemetry/schemas";

type Said = Partial<Message> & { role: string; text?: string };
type Options = { userId?: string; startedAt?: number; externalId?: string };

/** Stores a conversation as the projector would, for tests that do not need telemetry. */
export async function storedConversation(ctx: Ctx, said: readonly Said[], options: Options = {}) {
  const id = newId("conv");
  const startedAt = options.startedAt ?? Date.now() - 60_000;
  const lastActivityAt = startedAt + said.length * 1000;
  await ctx.db.insert(conversations).values({
    projectId: ctx.projectId,
    id,
    key: options.externalId ? `id:${options.externalId}` : `trace:${id}`,
    externalId: options.externalId ?? null,
    userId: options.userId ?? null,
    startedAt,
    lastActivityAt,
    receivedAt: Date.now(),
    messageCount: said.length,
  });
  await ctx.db.insert(conversationMessages).values(
    said.map(({ text, ...message }, position) => ({
      projectId: ctx.projectId,
      conversationId: id,
      position,
      role: message.role,
      parts: text === undefined ? (message.parts ?? []) : [{ type: "text", text }],
      toolCalls: message.toolCalls ?? [],
      toolCallId: message.toolCallId ?? null,
      agent: message.agent ?? null,
      spanId: message.spanId ?? null,
      at: startedAt + position * 1000,
      digest: String(position),
    })),
  );
  return { id, startedAt, lastActivityAt };
}

/** Returns a conversation in which `tool` returned an error and the assistant did not retry. */
export const failingToolCall = (tool: string, error: string): Said[] => [
  { role: "user", text: "Where is my order 4821?" },
  { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: tool, arguments: '{"order_id":"4821"}' }] },
  { role: "tool", text: error, toolCallId: "call_1" },
  { role: "assistant", text: "I could not look that up, sorry. Is there anything else?" },
];
