import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { findings, occurrences } from "@/db/schema";
import type { Evidence } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import {
  type Beginning,
  findConversation,
  readBeginnings,
  readToolDefinitions,
  type ToolDefinition,
} from "@/server/services/telemetry";
import { sentFor } from "@/server/services/telemetry/schemas";
import { textOf } from "../detectors/reading/text";
import { configuredRules } from "../settings/rule-settings";
import { type FrozenRule, isFoundIn, type ReplayedMessage } from "./judge-replay";
import { whyNotReplayable } from "./replayable-signals";

/** A tool call of a conversation, with its arguments as sent and the text that it returned. */
export type RecordedCall = { name: string; arguments: string; result: string };

/** An answer in a conversation that a model can be asked to give again. */
export type Replay = {
  conversationId: string;
  /** Index of the answer in the conversation. */
  turn: number;
  prompt: ReplayedMessage[];
  recorded: string;
  /** The model that gave it; `null` if it was not recorded. */
  model: string | null;
  /** Where the prompt has tool turns: the tools that the model was given, and what recorded calls returned. */
  tools: { definitions: ToolDefinition[]; recorded: RecordedCall[] } | null;
};

/** Why an answer cannot be given again. */
export type NotAgain = "not_an_answer" | "calls_tools" | "attachments" | "no_results" | "no_definitions" | "too_far";

export type Replays = {
  rule: FrozenRule;
  replays: Replay[];
  /** Conversations that `skip` left out. */
  skipped: number;
  /**
   * Answers after attachments or, unless `withTools`, tool calls; after tool calls whose results or definitions are not recorded;
   * or further into a conversation than a prompt reaches.
   */
  notText: number;
  /** Answers that the Rule with its current settings no longer reports, or whose conversation is gone. */
  changed: number;
  /** Whether every occurrence was examined. */
  isWhole: boolean;
};

/** Snapshots read at a time, and maximum occurrences examined, newest first. */
const PAGE = 50;
const OCCURRENCES_MAX = 2_000;
/** How far into a conversation a prompt reaches: as long as an Example may be, because models are trained on these. */
const PROMPT_REACH = { messages: 2_200, bytes: 16 * 1024 * 1024, around: 100 };
/** For these, the last message with evidence is the fault; for others the first, before which the conversation is sound. */
const FAULT_IS_LAST = new Set(["repeated_message"]);

type Wanted = { limit: number; skip: ReadonlySet<string>; withTools?: boolean };

/**
 * Returns answers in which a Finding occurred, newest first, with the conversation up to each and the Rule that reports it.
 * Throws 422 for a Signal that an answer alone cannot show. `skip` leaves out conversations by id.
 */
export async function findReplays(
  ctx: Ctx,
  findingId: string,
  { limit, skip, withTools = false }: Wanted,
): Promise<Replays> {
  const [finding] = await ctx.db
    .select()
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
  if (!finding) throw notFound("Finding");
  const { ruleId, signal } = finding;
  const why = whyNotReplayable(ruleId, signal);
  if (why !== null) throw unprocessable("/findingId", `This Finding cannot be proven by replay. ${why}`);
  const { rule, configuration } = (await configuredRules(ctx)).find((one) => one.rule.id === ruleId)!;
  const frozen: FrozenRule = { ruleId, version: rule.version, configuration, signal };
  const found: Replays = { rule: frozen, replays: [], skipped: 0, notText: 0, changed: 0, isWhole: false };
  let after: Position | undefined;
  for (let read = 0; read < OCCURRENCES_MAX; read += PAGE) {
    const page = await occurrencesAfter(ctx, findingId, after);
    const wanted = page.filter(({ conversationId }) => !skip.has(conversationId));
    found.skipped += page.length - wanted.length;
    const evidenceOf = new Map(wanted.map(({ conversationId, evidence }) => [conversationId, evidence]));
    const now = Number.MAX_SAFE_INTEGER;
    const snapshots = wanted.map(({ conversationId }) => ({ conversationId, lastActivityAt: now, traceIds: [] }));
    let seen = 0;
    for await (const piece of readBeginnings(ctx, snapshots, PROMPT_REACH)) {
      for (const conversation of piece) {
        if (found.replays.length === limit) return found;
        seen += 1;
        const evidence = evidenceOf.get(conversation.id) ?? [];
        const replay = await replayOf(ctx, conversation, evidence, { rule: frozen, withTools });
        if (replay === "changed") found.changed += 1;
        else if (replay === "not_text") found.notText += 1;
        else found.replays.push(replay);
      }
    }
    found.changed += wanted.length - seen; // the others are gone
    const last = page.at(-1);
    if (!last || page.length < PAGE) return { ...found, isWhole: true };
    after = [last.detectedAt, last.id];
  }
  return found;
}

type Position = readonly [detectedAt: number, id: string];

const occurrencesAfter = ({ db, projectId }: Ctx, findingId: string, after: Position | undefined) =>
  db
    .select({
      id: occurrences.id,
      conversationId: occurrences.conversationId,
      evidence: occurrences.evidence,
      detectedAt: occurrences.detectedAt,
    })
    .from(occurrences)
    .where(
      and(
        eq(occurrences.projectId, projectId),
        eq(occurrences.findingId, findingId),
        after &&
          or(
            lt(occurrences.detectedAt, after[0]),
            and(eq(occurrences.detectedAt, after[0]), sql`${occurrences.id} < ${after[1]}`),
          ),
      ),
    )
    .orderBy(desc(occurrences.detectedAt), desc(occurrences.id))
    .limit(PAGE);

async function replayOf(
  ctx: Ctx,
  conversation: Beginning,
  evidence: readonly Evidence[],
  { rule, withTools }: { rule: FrozenRule; withTools: boolean },
): Promise<Replay | "changed" | "not_text"> {
  const { messages, isCut } = conversation;
  const places = evidence
    .flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex]))
    .filter((index) => messages[index]?.role === "assistant")
    .sort((a, b) => a - b);
  const index = FAULT_IS_LAST.has(rule.signal) ? places.at(-1) : places[0];
  if (index === undefined) return isCut ? "not_text" : "changed";
  const replay = await replayAt(ctx, conversation, index, withTools);
  if (typeof replay === "string") return "not_text";
  const { finishReason, ...turn } = replay;
  return isFoundIn(rule, turn.prompt, { content: turn.recorded, finishReason }) ? turn : "changed";
}

/** Returns the answer at an index with what was sent before it, or why it cannot be given again. */
async function replayAt(
  ctx: Ctx,
  { id, messages, modelCalls, isCut }: Beginning,
  index: number,
  withTools: boolean,
): Promise<(Replay & { finishReason: string }) | NotAgain> {
  const answer = messages[index];
  if (answer === undefined && isCut) return "too_far";
  if (answer?.role !== "assistant") return "not_an_answer";
  if (answer.toolCalls.length > 0) return "calls_tools";
  const sent = sentFor(answer, messages.slice(0, index));
  const call = modelCalls.find(({ spanId }) => spanId === answer.spanId);
  const prompt = promptOf(sent, withTools);
  if (typeof prompt === "string") return prompt;
  const definitions = withTools && call ? await readToolDefinitions(ctx, call) : [];
  const usesTools = prompt.some(({ role }) => role === "tool");
  if (usesTools && definitions.length === 0) return "no_definitions";
  return {
    conversationId: id,
    turn: index,
    prompt,
    recorded: textOf(answer),
    model: call?.requestedModel ?? call?.responseModel ?? null,
    tools: definitions.length === 0 ? null : { definitions, recorded: recordedCalls(messages) },
    finishReason: call?.finishReasons[0] ?? "stop",
  };
}

/** Returns one answer of a conversation, by its index, with what was sent before it, or why it cannot be given again. */
export async function readReplay(ctx: Ctx, conversationId: string, index: number): Promise<Replay | NotAgain> {
  const { id } = await findConversation(ctx, conversationId);
  const snapshot = { conversationId: id, lastActivityAt: Number.MAX_SAFE_INTEGER, traceIds: [] };
  for await (const [conversation] of readBeginnings(ctx, [snapshot], PROMPT_REACH)) {
    if (conversation) return replayAt(ctx, conversation, index, true);
  }
  return "not_an_answer";
}

const ROLES: Readonly<Record<string, ReplayedMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};
/** A model's reasoning is not part of a prompt. */
const UNSENT = new Set(["reasoning", "thinking"]);

/** Converts messages to those of chat APIs, or says why not: only text and, `withTools`, answered calls have a form there. */
function promptOf(
  messages: readonly Beginning["messages"][number][],
  withTools: boolean,
): ReplayedMessage[] | "attachments" | "no_results" | "not_an_answer" {
  const prompt: ReplayedMessage[] = [];
  const open = new Set<string>();
  for (const message of messages) {
    const { parts, toolCalls, toolCallId } = message;
    const isText = parts.every(({ type }) => type === "text" || UNSENT.has(type));
    if (message.role === "tool" && withTools) {
      if (toolCallId === null || !open.delete(toolCallId)) return "no_results";
      prompt.push({ role: "tool", content: textOf(message), tool_call_id: toolCallId });
      continue;
    }
    const role = ROLES[message.role];
    if (role === undefined || !isText) return "attachments";
    if (toolCalls.length > 0 && !withTools) return "no_results";
    const calls = toolCalls.flatMap(({ id, name, arguments: given }) =>
      id === null ? [] : [{ id, type: "function" as const, function: { name, arguments: given } }],
    );
    if (calls.length < toolCalls.length) return "no_results";
    for (const { id } of calls) open.add(id);
    prompt.push({ role, content: textOf(message), ...(calls.length > 0 && { tool_calls: calls }) });
  }
  if (open.size > 0) return "no_results";
  return prompt.some(({ role }) => role === "user") ? prompt : "not_an_answer";
}

/** Returns what the tool calls of a conversation returned, wherever in it they are. */
function recordedCalls(messages: Beginning["messages"]): RecordedCall[] {
  const results = new Map(messages.flatMap((one) => (one.toolCallId === null ? [] : [[one.toolCallId, one] as const])));
  return messages.flatMap(({ toolCalls }) =>
    toolCalls.flatMap(({ id, name, arguments: given }) => {
      const result = id === null ? undefined : results.get(id);
      return result ? [{ name, arguments: given, result: textOf(result) }] : [];
    }),
  );
}
