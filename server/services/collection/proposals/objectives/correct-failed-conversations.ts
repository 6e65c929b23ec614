import { excerpt } from "@/server/platform/excerpt";
import { type ConversationSnapshot, textOf, toolFailures } from "@/server/services/diagnostics/detectors/reading";
import { before, Drafts } from "../drafts";
import { payloadOf } from "../payload-of";
import { answers } from "../reading/answers";
import { withoutApology } from "../reading/apology";
import { withLaterCalls } from "../reading/context-of";
import { recoveredAnswer, recoveredCall } from "../reading/recoveries";
import { isRemark } from "../reading/remarks";
import type { CollectedOccurrence, CollectionEvidence, ModelAnswer, Propose } from "../types";

/** Rules whose Findings another objective uses, or that are not about an answer. */
const USER_CORRECTION = "user-correction";
const TOOL_FAILURE = "tool-failure";
const NOT_ABOUT_ANSWERS = new Set(["provider-health", "agent-loop"]);
const BROKEN = "broken-response";
/** Rules for which a later answer may be better than the failed one. What follows an unsafe answer is rarely safe. */
const RECOVERABLE = new Set([BROKEN, "user-dissatisfaction", "refusal", "task-failure", "ungrounded-answer"]);
/** Anger at a rule that the assistant rightly follows: an answer that the user puts up with later is not a better one. */
const NOT_RECOVERABLE = new Set(["frustration", "escalation_request"]);
/** Signals about what users or tools brought in, or about how a conversation ended, rather than about an answer. */
const NOT_OF_ANSWERS = new Set(["prompt_injection", "jailbreak_attempt", "abandonment", "ended_by_limit"]);

/**
 * Proposes better answers in place of those that a Finding or a person considers failed; the failed ones become the rejected
 * answers.
 */
export async function correctFailedConversations(
  conversation: ConversationSnapshot,
  evidence: CollectionEvidence,
  propose: Propose | null,
): Promise<Drafts> {
  const drafts = new Drafts(conversation);
  const occurrences = evidence.occurrences
    .filter(({ reviewStatus }) => reviewStatus !== "dismissed")
    .toSorted((a, b) => (a.turns[0] ?? 0) - (b.turns[0] ?? 0) || (a.findingId < b.findingId ? -1 : 1));
  fromFeedback(conversation, evidence, occurrences, drafts);
  if (occurrences.length === 0 && drafts.list.length === 0) drafts.leave("no_finding");
  for (const occurrence of occurrences) {
    const { turns } = occurrence;
    if (turns.length > 0 && turns.every((turn) => turn >= conversation.messages.length)) drafts.leave("too_large");
    else if (occurrence.rule === USER_CORRECTION) drafts.leave("finding_of_user_correction");
    else if (NOT_ABOUT_ANSWERS.has(occurrence.rule) || NOT_OF_ANSWERS.has(occurrence.signal))
      drafts.leave("finding_not_about_an_answer");
    else if (occurrence.rule === TOOL_FAILURE) fromLaterCalls(conversation, occurrence, drafts);
    else await fromLaterAnswers(conversation, occurrence, drafts, propose);
  }
  return drafts;
}

function fromFeedback(
  conversation: ConversationSnapshot,
  { feedback, isCut = false }: CollectionEvidence,
  occurrences: readonly CollectedOccurrence[],
  drafts: Drafts,
): void {
  const said = answers(conversation);
  // Newest first: a person may correct their own correction.
  for (const { kind, value, messageIndex, givenByUser } of feedback.toReversed()) {
    if (kind !== "correction" || typeof value !== "string") continue;
    if (isCut && (messageIndex === null || messageIndex >= conversation.messages.length)) {
      drafts.leave("too_large");
      continue;
    }
    const at = messageIndex ?? said.at(-1)?.index;
    const failed = at === undefined ? undefined : conversation.messages[at];
    if (at === undefined || failed?.role !== "assistant") drafts.leave("no_question");
    else if (isRemark(value)) drafts.leave("correction_is_a_remark");
    else {
      const findingId = occurrences.find(({ turns }) => turns.includes(at))?.findingId ?? null;
      const who = givenByUser ? "A user" : "A reviewer";
      drafts.propose(
        before(at),
        { expected: value, rejected: textOf(failed) },
        {
          reason: `${who} wrote what the answer should have been: “${excerpt(value, 120)}”.`,
          reasonCode: "corrected_by_feedback",
          turn: at,
          answerTurn: null,
          source: "correction",
          findingId,
        },
      );
    }
  }
}

function fromLaterCalls(conversation: ConversationSnapshot, occurrence: CollectedOccurrence, drafts: Drafts): void {
  const { findingId, turns } = occurrence;
  const failures = toolFailures(conversation).filter(({ exchange: { callIndex, resultIndex } }) =>
    turns.some((turn) => turn === callIndex || turn === resultIndex),
  );
  const recovered = failures.map((failure) => recoveredCall(conversation, failure.exchange));
  for (const [nth, recovery] of recovered.entries()) {
    if (typeof recovery === "string") continue;
    const { exchange, message } = failures[nth]!;
    drafts.propose(
      before(exchange.callIndex!),
      { expected: recovery.callIndex, rejected: exchange.callIndex! },
      {
        reason: `\`${exchange.name}\` failed (“${excerpt(message, 100)}”); this call, which the assistant made next, succeeded, and everything it needs had already been mentioned.`,
        reasonCode: "recovered_call",
        turn: exchange.callIndex!,
        answerTurn: recovery.callIndex,
        source: "finding",
        findingId,
      },
    );
  }
  const left = recovered.filter((one) => typeof one === "string");
  if (left.length === recovered.length)
    drafts.leave(left.find((code) => code !== "no_better_answer") ?? "no_better_answer");
}

async function fromLaterAnswers(
  conversation: ConversationSnapshot,
  occurrence: CollectedOccurrence,
  drafts: Drafts,
  propose: Propose | null,
): Promise<void> {
  const failed = failedAnswers(conversation, occurrence);
  if (failed.length === 0) {
    drafts.leave("finding_not_about_an_answer");
    return;
  }
  const { findingId, title, rule, signal } = occurrence;
  const mayRecover = RECOVERABLE.has(rule) && !NOT_RECOVERABLE.has(signal);
  const recovered = failed.map((index) =>
    mayRecover ? recoveredAnswer(conversation, index, rule === BROKEN) : ("no_better_answer" as const),
  );
  for (const [nth, recovery] of recovered.entries()) {
    if (typeof recovery === "string") continue;
    const index = failed[nth]!;
    drafts.propose(
      withLaterCalls(conversation, index, recovery.index),
      { expected: withoutApology(recovery.text), rejected: textOf(conversation.messages[index]!) },
      {
        reason: `${excerpt(title, 120)}. For the same request, the assistant recovered: “${excerpt(recovery.text, 100)}”.`,
        reasonCode: "recovered_answer",
        turn: index,
        answerTurn: recovery.index,
        source: "finding",
        findingId,
      },
    );
  }
  if (failed.some((index) => drafts.has(index))) return;
  const left = recovered.find((one) => typeof one === "string" && one !== "no_better_answer");
  const first = failed[0]!;
  const proposed = propose ? await proposedAnswer(conversation, first, title, propose) : NONE;
  if ("left" in proposed) {
    drafts.leave(proposed.left === "no_better_answer" && typeof left === "string" ? left : proposed.left);
    return;
  }
  drafts.propose(
    before(first),
    { expected: proposed.answer, rejected: textOf(conversation.messages[first]!) },
    {
      reason: `${excerpt(title, 120)}. A model proposed this answer; nobody has checked it.`,
      reasonCode: "proposed_by_model",
      turn: first,
      answerTurn: null,
      source: "finding",
      findingId,
      proposedByModel: true,
    },
  );
}

/**
 * Returns the assistant messages that an occurrence is about: those in its evidence, and those that a user turn in it replies
 * to.
 */
function failedAnswers(conversation: ConversationSnapshot, { turns }: CollectedOccurrence): number[] {
  const said = answers(conversation);
  const failed = turns.flatMap((turn) => {
    const role = conversation.messages[turn]?.role;
    if (role === "assistant") return [turn];
    const answer = role === "user" ? said.find(({ reply }) => reply?.index === turn) : undefined;
    return answer ? [answer.index] : [];
  });
  return [...new Set(failed)].sort((a, b) => a - b);
}

const NONE: ModelAnswer = { left: "no_better_answer" };

/**
 * Asks a model for a better answer to the messages before a failed one; not for tool calls, because their results would be
 * unknown.
 */
async function proposedAnswer(
  conversation: ConversationSnapshot,
  failed: number,
  problem: string,
  propose: Propose,
): Promise<ModelAnswer> {
  const message = conversation.messages[failed]!;
  const failedAnswer = textOf(message);
  if (message.toolCalls.length > 0 || failedAnswer.trim() === "") return NONE;
  const context = payloadOf(conversation, before(failed), { expected: failedAnswer }, { turn: failed });
  if ("left" in context) return NONE;
  const { messages } = context.payload.input;
  return propose({ conversationId: conversation.id, messages, failedAnswer, problem });
}
