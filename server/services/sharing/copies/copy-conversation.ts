import { setImmediate as letOthersRun } from "node:timers/promises";
import type { SharedBlock, SharedMessage } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { getConversation } from "@/server/services/telemetry";
import type { MessagePart, PlacedMessage, ToolCall } from "@/server/services/telemetry/schemas";
import { type Copy, type CopyOptions, lockSources } from "./copy";
import type { Redactor } from "./redactor";

/** Copies a conversation's messages with their tool calls: the first ones, if they are too many or too long for a page. */
export async function copyConversation(tx: Ctx, id: string, { redactor, includeCost }: CopyOptions): Promise<Copy> {
  const { conversation } = await getConversation(tx, { conversationId: id });
  const { id: conversationId, preview, startedAt, models, messageCount, cost, costComplete } = conversation;
  await lockSources(tx, [conversationId]);
  const calls = callsOf(conversation.messages, conversation.toolCalls);
  const messages: SharedMessage[] = [];
  for (const message of conversation.messages) {
    messages.push(messageOf(message, calls, redactor));
    // Masking a long conversation takes a while.
    await letOthersRun();
  }
  const content = {
    kind: "conversation" as const,
    title: preview === null ? null : redactor.title(preview),
    startedAt,
    models: models.map(redactor.name),
    messageCount,
    messages,
    cost: includeCost ? { usd: cost, complete: costComplete } : null,
  };
  return { of: { conversationId }, name: preview, parts: [{ conversationId, content }] };
}

type Calls = {
  nameOf: ReadonlyMap<string, string>;
  /** Calls by id, as their spans reported them. */
  reported: ReadonlyMap<string, ToolCall>;
  /** Ids of calls whose result is in a message. */
  answered: ReadonlySet<string>;
};

function callsOf(messages: readonly PlacedMessage[], toolCalls: readonly ToolCall[]): Calls {
  const byId = toolCalls.flatMap((call) => (call.callId === null ? [] : [[call.callId, call] as const]));
  const requested = messages.flatMap(({ toolCalls }) => toolCalls);
  return {
    nameOf: new Map([
      ...byId.map(([id, { name }]) => [id, name] as const),
      ...requested.flatMap(({ id, name }) => (id === null ? [] : [[id, name] as const])),
    ]),
    reported: new Map(byId),
    answered: new Set(messages.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId]))),
  };
}

function messageOf(message: PlacedMessage, calls: Calls, redactor: Redactor): SharedMessage {
  const { role, agent, at, toolCallId } = message;
  const isResult = role === "tool" || role === "function";
  const name = toolCallId === null ? undefined : calls.nameOf.get(toolCallId);
  const resultName = name === undefined ? null : redactor.name(name);
  const said = message.parts.flatMap((part): SharedBlock[] =>
    isResult && part.type === "text"
      ? [{ kind: "result", name: resultName, text: redactor.json(part.text ?? "") }]
      : blocksOf(part, redactor),
  );
  return {
    role: redactor.name(role),
    agent: agent === null ? null : redactor.name(agent),
    at,
    blocks: [...said, ...message.toolCalls.flatMap((call) => callBlocks(call, calls, redactor))],
  };
}

function blocksOf({ type, text }: MessagePart, redactor: Redactor): SharedBlock[] {
  if (type !== "text" && type !== "reasoning") return [{ kind: "omitted", type: redactor.name(type) }];
  return text ? [{ kind: type, text: redactor.text(text) }] : [];
}

/** Returns a call, with its result unless that is in a later message. */
function callBlocks(call: PlacedMessage["toolCalls"][number], calls: Calls, redactor: Redactor): SharedBlock[] {
  const reported = call.id === null ? undefined : calls.reported.get(call.id);
  const failure = reported?.error && [reported.error.type, reported.error.message].filter(Boolean).join(": ");
  const name = redactor.name(call.name);
  const result = call.id !== null && calls.answered.has(call.id) ? null : (reported?.result ?? null);
  return [
    {
      kind: "call",
      name,
      arguments: redactor.json(call.arguments),
      error: reported?.error ? redactor.text(failure || "The span reports a failure without details.") : null,
    },
    ...(result === null ? [] : [{ kind: "result" as const, name, text: redactor.json(result) }]),
  ];
}
