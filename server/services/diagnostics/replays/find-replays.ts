import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { findings, occurrences } from "@/db/schema";
import type { Evidence } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { type Beginning, readBeginnings } from "@/server/services/telemetry";
import { sentFor } from "@/server/services/telemetry/schemas";
import { textOf } from "../detectors/reading/text";
import { configuredRules } from "../settings/rule-settings";
import { type FrozenRule, isFoundIn, type ReplayedMessage } from "./judge-replay";
import { whyNotReplayable } from "./replayable-signals";

/** An answer in a conversation that a model can be asked to give again. */
export type Replay = {
  conversationId: string;
  /** Index of the answer in the conversation. */
  turn: number;
  prompt: ReplayedMessage[];
  recorded: string;
};

export type Replays = {
  rule: FrozenRule;
  replays: Replay[];
  /** Conversations that `skip` left out. */
  skipped: number;
  /** Answers after tool calls or attachments, or further into a conversation than a prompt reaches. */
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

/**
 * Returns answers in which a Finding occurred, newest first, with the conversation up to each and the Rule that reports it.
 * Throws 422 for a Signal that an answer alone cannot show. `skip` leaves out conversations by id.
 */
export async function findReplays(
  ctx: Ctx,
  findingId: string,
  { limit, skip }: { limit: number; skip: ReadonlySet<string> },
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
        const replay = replayOf(conversation, evidenceOf.get(conversation.id) ?? [], frozen);
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

function replayOf(
  { id, messages, modelCalls, isCut }: Beginning,
  evidence: readonly Evidence[],
  rule: FrozenRule,
): Replay | "changed" | "not_text" {
  const places = evidence
    .flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex]))
    .filter((index) => messages[index]?.role === "assistant")
    .sort((a, b) => a - b);
  const index = FAULT_IS_LAST.has(rule.signal) ? places.at(-1) : places[0];
  if (index === undefined) return isCut ? "not_text" : "changed";
  const answer = messages[index]!;
  const prompt = promptOf(sentFor(answer, messages.slice(0, index)));
  if (!prompt || answer.toolCalls.length > 0) return "not_text";
  const call = modelCalls.find(({ spanId }) => spanId === answer.spanId);
  const recorded = { content: textOf(answer), finishReason: call?.finishReasons[0] ?? "stop" };
  return isFoundIn(rule, prompt, recorded)
    ? { conversationId: id, turn: index, prompt, recorded: recorded.content }
    : "changed";
}

const ROLES: Readonly<Record<string, ReplayedMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};
/** A model's reasoning is not part of a prompt. */
const UNSENT = new Set(["reasoning", "thinking"]);

/** Converts messages to the trainer's form; `null` if they are not only text or include none from a user. */
function promptOf(messages: readonly Beginning["messages"][number][]): ReplayedMessage[] | null {
  const prompt: ReplayedMessage[] = [];
  for (const message of messages) {
    const role = ROLES[message.role];
    const isText = message.parts.every(({ type }) => type === "text" || UNSENT.has(type));
    if (role === undefined || !isText || message.toolCalls.length > 0) return null;
    prompt.push({ role, content: textOf(message) });
  }
  return prompt.some(({ role }) => role === "user") ? prompt : null;
}
