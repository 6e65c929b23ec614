import { z } from "zod";
import { operations } from "@/server/operations";
import { onOneLine } from "@/server/platform/excerpt";
import { count } from "@/server/platform/text/amounts";
import { cutToTokens, lengthWithin, tokenBound } from "@/server/platform/text/token-bound";
import type { PlacedMessage } from "@/server/services/telemetry/schemas";
import { quoted } from "@/server/services/tickets";
import { Refused } from "../call";
import { at, callOf, dollars, line, paragraphs } from "../markdown";
import { id, type ToolCall, tool } from "../tool";

const NAME = "read_conversation";
const INDEX_MAX = 1_000_000;
/** Messages that are looked at for an outline, and for a range. */
const OUTLINED = 200;
const READ = 50;
const RANGE = 10;
/** Tokens of a line of the outline, of all its lines, of a message in a range, of all of them, and of a part of one message. */
const LINE_TOKENS = 40;
const OUTLINE_TOKENS = 6000;
const MESSAGE_TOKENS = 2500;
const MESSAGES_TOKENS = 6500;
const PART_TOKENS = 6500;
/** What is looked at of a long message for its line. */
const LINE_CHARACTERS = 1000;
const FINDINGS = 20;

export const readConversation = tool({
  name: NAME,
  title: "Read a conversation",
  description:
    "Reads a conversation in steps. With its id alone: what is known of it and an outline, a line per message. With `from` and `to`: those messages, long ones cut. With `message`: one message in parts, from the character `offset` on. The result says what it left out and the call for it.",
  effect: "read",
  input: z.object({
    conversationId: id("Whetstone's id or the application's own."),
    outlineFrom: z.int().min(0).max(INDEX_MAX).optional().describe("First message of the outline."),
    from: z.int().min(0).max(INDEX_MAX).optional().describe("Index of the first message, from 0."),
    to: z.int().min(0).max(INDEX_MAX).optional().describe("Index of the last message."),
    message: z.int().min(0).max(INDEX_MAX).optional().describe("Index of the one message to read in parts."),
    offset: z.int().min(0).max(100_000_000).optional(),
  }),
  run: (on, { conversationId, outlineFrom, from, to, message, offset }) => {
    if (message !== undefined) return readPart(on, conversationId, message, offset ?? 0);
    if (from === undefined && to === undefined) return outline(on, conversationId, outlineFrom ?? 0);
    const first = from ?? Math.max(0, (to ?? 0) - RANGE + 1);
    return readRange(on, conversationId, first, Math.max(first, to ?? first + RANGE - 1));
  },
});

async function outline({ call, shown }: ToolCall, conversationId: string, first: number) {
  const { conversation } = await call(operations.conversations.get, { conversationId, parts: 0 });
  const { id: ownId, messageCount } = conversation;
  const [{ messages }, findings] = await Promise.all([
    call(operations.conversations.messages, { conversationId: ownId, fromIndex: first, limit: OUTLINED }),
    findingsIn(call, ownId),
  ]);
  const lines = messages.map((message) => {
    const begin = shown.masked(onOneLine(textOf(message, LINE_CHARACTERS)));
    return cutToTokens(`${headOf({ ...message, at: null })}: ${begin}`, LINE_TOKENS);
  });
  const fitting = linesWithin(lines, OUTLINE_TOKENS);
  const next = (messages[fitting.length - 1]?.index ?? first) + 1;
  return paragraphs(
    `# Conversation ${ownId}`,
    line(
      at(conversation.startedAt),
      count(messageCount, "message"),
      count(conversation.modelCallCount, "model call"),
      count(conversation.toolCallCount, "tool call"),
      count(conversation.errorCount, "error"),
      dollars(conversation.cost, conversation.costComplete),
      conversation.models.slice(0, 3).map(shown.name).join(" "),
      conversation.externalId !== null && `external id ${shown.name(conversation.externalId)}`,
      conversation.userId !== null && `user ${shown.name(conversation.userId)}`,
    ),
    conversation.labels.length > 0 && `Labels: ${conversation.labels.slice(0, 5).map(shown.name).join(", ")}`,
    findings,
    fitting.length === 0 ? `There is no message from ${first} on.` : `Messages ${first} to ${next - 1}, a line each:`,
    fitting.length > 0 && quoted(fitting.join("\n")),
    next < messageCount && fitting.length > 0
      ? `The outline continues: ${callOf(NAME, { conversationId: ownId, outlineFrom: next })}`
      : null,
    fitting.length > 0 &&
      `Messages in full: ${callOf(NAME, { conversationId: ownId, from: first, to: Math.min(first + RANGE, messageCount) - 1 })}`,
  );
}

/** Returns the Findings in a conversation; `null` without any, and for a key that may not read them. */
async function findingsIn(call: ToolCall["call"], conversationId: string) {
  try {
    const { findings } = await call(operations.findings.list, { conversationId, limit: FINDINGS });
    return findings.length === 0
      ? null
      : `Findings: ${findings.map(({ id: findingId, signal }) => `${findingId} (${signal})`).join(", ")}`;
  } catch (error) {
    if (error instanceof Refused && error.problem.code === "forbidden") return null;
    throw error;
  }
}

async function readRange({ call, shown }: ToolCall, conversationId: string, first: number, last: number) {
  const limit = Math.min(READ, last - first + 1);
  const { messages, toolCalls, pagination } = await call(operations.conversations.messages, {
    conversationId,
    fromIndex: first,
    limit,
  });
  const failed = new Set(toolCalls.flatMap(({ callId, error }) => (error === null ? [] : [callId])));
  const parts: string[] = [];
  let left = MESSAGES_TOKENS;
  let next = first;
  for (const message of messages) {
    const { index, toolCallId } = message;
    const text = shown.masked(textOf(message));
    const length = lengthWithin(text, MESSAGE_TOKENS);
    const part = paragraphs(
      `### ${line(headOf(message), toolCallId !== null && failed.has(toolCallId) && "failed")}`,
      quoted(text.slice(0, length)),
      length < text.length &&
        `Cut after ${count(length, "character")} of ${text.length.toLocaleString("en")}: ${callOf(NAME, { conversationId, message: index, offset: length })}`,
    );
    left -= tokenBound(part) + 2;
    if (left < 0) break;
    parts.push(part);
    next = index + 1;
  }
  return paragraphs(
    ...parts,
    parts.length === 0 && `There is no message from ${first} on.`,
    next <= last && (parts.length < messages.length || pagination.nextCursor !== null)
      ? `Left out: messages ${next} to ${last}: ${callOf(NAME, { conversationId, from: next, to: last })}`
      : null,
  );
}

async function readPart({ call, shown }: ToolCall, conversationId: string, index: number, offset: number) {
  const { messages } = await call(operations.conversations.messages, { conversationId, fromIndex: index, limit: 1 });
  const [message] = messages;
  if (message?.index !== index) return `There is no message ${index}.`;
  const text = shown.masked(textOf(message));
  const end = offset + lengthWithin(text, PART_TOKENS, offset);
  return paragraphs(
    `### ${headOf(message)}`,
    end <= offset
      ? `The message has ${count(text.length, "character")}.`
      : paragraphs(`Characters ${offset} to ${end} of ${text.length}:`, quoted(text.slice(offset, end))),
    end > offset && end < text.length
      ? `It continues: ${callOf(NAME, { conversationId, message: index, offset: end })}`
      : null,
  );
}

/** Roles are of the application. */
const headOf = ({ index, role, agent, at: sent, toolCalls }: PlacedMessage) =>
  line(
    `${index} ${plain(role)}`,
    agent !== null && `of the inner agent ${plain(agent)}`,
    sent !== null && at(sent),
    toolCalls.length > 0 &&
      `calls ${toolCalls
        .slice(0, 5)
        .map(({ name }) => plain(name))
        .join(" ")}`,
  );

/** A name without what Markdown interprets or what reads as a sentence. */
const plain = (name: string) => name.replaceAll(/[^\p{L}\p{N}_.:/-]+/gu, "_").slice(0, 60);

/** Returns what a message says, with the calls that it makes; of other content, only that it is there. */
function textOf({ parts, toolCalls }: PlacedMessage, characters = Number.POSITIVE_INFINITY) {
  const said = parts.map(({ type, text }) =>
    text === undefined
      ? `[${plain(type)}]`
      : type === "text"
        ? text.slice(0, characters)
        : `[${plain(type)}] ${text.slice(0, characters)}`,
  );
  const called = toolCalls.map(({ name, arguments: given }) => `[calls ${plain(name)}] ${given.slice(0, characters)}`);
  return [...said, ...called].join("\n\n");
}

/** Returns the first lines that have at most so many tokens. */
function linesWithin(lines: readonly string[], tokens: number) {
  let left = tokens;
  const over = lines.findIndex((one) => {
    left -= tokenBound(one) + 1;
    return left < 0;
  });
  return over === -1 ? lines : lines.slice(0, over);
}
