import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot } from "@/server/services/diagnostics/detectors/reading";
import { before, Drafts } from "../drafts";
import { type Answer, answers, followsFailure, isComplete, isFailing } from "../reading/answers";
import { isNegative, praiseIn } from "../reading/feedback";
import type { CollectionEvidence, ReasonCode } from "../types";

type Feedback = CollectionEvidence["feedback"][number];

/** Proposes the answers that worked, for a conversation with positive evidence and without a Finding. */
export function preserveSuccessfulBehavior(conversation: ConversationSnapshot, evidence: CollectionEvidence): Drafts {
  const drafts = new Drafts(conversation);
  if (evidence.occurrences.some(({ reviewStatus }) => reviewStatus !== "dismissed")) drafts.leave("has_finding");
  else if (evidence.feedback.some((one) => isNegative(one, evidence.feedback))) drafts.leave("negative_feedback");
  else {
    const given = evidence.feedback.flatMap((one) => praised(conversation, one, evidence));
    // If the conversation goes on beyond what was read, its last accepted answer is not known.
    const acceptance = given.length > 0 || evidence.isCut ? [] : [accepted(conversation)];
    for (const praise of [...given, ...acceptance]) {
      if (!praise) continue;
      const { index } = praise.answer;
      drafts.propose(
        before(index),
        { expected: praise.answer.text },
        { reason: praise.reason, reasonCode: praise.code, turn: index, answerTurn: index, source: "conversation" },
      );
    }
    if (drafts.list.length === 0 && Object.keys(drafts.left).length === 0)
      drafts.leave(evidence.isCut ? "too_large" : "no_positive_evidence");
  }
  return drafts;
}

type Praise = { answer: Answer; code: ReasonCode; reason: string };

/** Returns the answer that a user praised through feedback. */
function praised(
  conversation: ConversationSnapshot,
  one: Feedback,
  { feedback, isCut = false }: CollectionEvidence,
): Praise[] {
  const praise = praiseIn(one, feedback);
  const { messageIndex: at } = one;
  if (!praise || (at === null && isCut)) return [];
  const said = answers(conversation);
  const answer =
    at === null ? said.findLast((each) => isComplete(conversation, each)) : said.find((each) => each.index >= at);
  if (!answer) return [];
  const words = one.comment ? ` and wrote “${excerpt(one.comment, 120)}”` : "";
  const whom = at === null ? "the conversation" : "this answer";
  return [{ answer, code: praise.code, reason: `A user gave ${whom} ${praise.what}${words}.` }];
}

/** Returns the last answer that the user gave thanks for or confirmed to have worked, if they objected to nothing after it. */
function accepted(conversation: ConversationSnapshot): Praise | null {
  const said = answers(conversation);
  const lastObjection = said.findLastIndex(({ reaction }) => reaction === "objects");
  const answer = said.findLast(
    (each, nth) =>
      nth > lastObjection &&
      each.reaction === "accepts" &&
      isComplete(conversation, each) &&
      !isFailing(conversation, each.index) &&
      !followsFailure(conversation, each),
  );
  if (!answer?.reply) return null;
  return {
    answer,
    code: "accepted_by_user",
    reason: `The user accepted this answer: “${excerpt(answer.reply.text, 120)}”.`,
  };
}
