import { sql } from "drizzle-orm";
import { type Ctx, idOfActor } from "@/server/platform/context";
import type { Draft } from "@/server/services/datasets";
import { EXAMPLE_REACH, keyOfChosen } from "@/server/services/datasets";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { type Beginning, readBeginnings } from "@/server/services/telemetry";
import { type LeftCode, maskExample } from "../proposals";
import { payloadOf } from "../proposals/payload-of";

const TOO_LARGE = "The conversation is too large for an Example.";
const PROBLEMS: Partial<Record<LeftCode, string>> = {
  not_text: "A message has images or files, which chat/v1 cannot contain.",
  incomplete_tool_calls: "A tool call has no result, or its arguments are not JSON.",
  no_question: "There is no user message before the answer.",
  same_answer: "The better answer is the same as the old one.",
  too_large: TOO_LARGE,
  personal_data: "It contains personal data or secrets, and the project's settings hold back such Examples.",
};
const NO_ANSWER = "It has no assistant answer.";
const NOT_AN_ANSWER = "That message is not an assistant answer.";

/** The Example made from a conversation, or why none could be made. */
export type Made = { conversationId: string; userId: string | null; turn: number | null } & (
  | { payload: ChatPayload; problem: null }
  | { payload: null; problem: string }
);

/** Yields the existing conversations in the order of the given ids, each up to the length that an Example can have. */
export const readConversations = (ctx: Ctx, ids: readonly string[]): AsyncGenerator<Beginning[]> =>
  readBeginnings(
    ctx,
    ids.map((conversationId) => ({ conversationId, lastActivityAt: Number.MAX_SAFE_INTEGER, traceIds: [] })),
    EXAMPLE_REACH,
  );

/** Builds an Example from everything up to an answer, with the project's masking. `better` replaces the answer. */
export function makeExample(
  conversation: Beginning,
  { turn: wanted, better, masking }: { turn?: number | undefined; better?: string; masking: "mask" | "hold_back" },
): Made {
  const { messages, isCut } = conversation;
  const whose = { conversationId: conversation.id, userId: conversation.userId };
  if (isCut && (wanted === undefined || wanted >= messages.length)) {
    return { ...whose, turn: wanted ?? null, payload: null, problem: TOO_LARGE };
  }
  const turn = wanted ?? messages.findLastIndex((message) => message.agent === null && isSpoken(message));
  const of = { ...whose, turn: turn === -1 ? null : turn };
  const answer = messages[turn];
  if (!answer) return { ...of, payload: null, problem: wanted === undefined ? NO_ANSWER : NOT_AN_ANSWER };
  const said = answer.toolCalls.length > 0 ? turn : textOf(answer);
  if (answer.role !== "assistant" || said === "") return { ...of, payload: null, problem: NOT_AN_ANSWER };
  const outcome = payloadOf(
    conversation,
    Array.from({ length: turn }, (_, index) => index),
    better === undefined ? { expected: said } : { expected: better, rejected: said },
    { turn },
  );
  const left = "left" in outcome ? outcome.left : undefined;
  const masked = "payload" in outcome ? maskExample(outcome.payload, masking) : null;
  if (masked) return { ...of, payload: masked.payload, problem: null };
  return { ...of, payload: null, problem: PROBLEMS[left ?? "personal_data"] ?? "It is not a valid Example." };
}

type Said = Beginning["messages"][number];
const textOf = ({ parts }: Said) =>
  parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n");
const isSpoken = (message: Said) => message.role === "assistant" && textOf(message).trim() !== "";

/** Returns the draft of an Example that a person chose. Its key prevents adding the same turn twice in the same way. */
export function draftOf(
  ctx: Ctx,
  { conversationId, userId, turn, payload }: Made & { payload: ChatPayload },
  {
    kind,
    tags,
    findingId,
  }: { kind: "conversation" | "finding" | "correction"; tags: string[]; findingId: string | null },
): Draft {
  const reviewerId = idOfActor(ctx.actor);
  return {
    payload,
    tags,
    source: { kind, externalRef: null },
    link: { conversationId, userId, turn, findingId },
    ...(reviewerId !== null && { reviewerId }),
    provenanceKey: keyOfChosen(kind === "correction" ? "corrected" : "added", { conversationId, turn }),
  };
}

/** Returns the newest conversations of a Finding. */
export async function conversationsOf({ db, projectId }: Ctx, findingId: string, most: number): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select conversation_id as id from occurrences
    where project_id = ${projectId} and finding_id = ${findingId} order by detected_at desc, id desc limit ${most}`);
  return [...rows].map(({ id }) => id);
}
