import type { ConversationSnapshot } from "@/server/services/diagnostics/detectors/reading";
import { before, Drafts } from "../drafts";
import { type Answer, answers, followsFailure, isComplete, isFailing } from "../reading/answers";
import { isNegative } from "../reading/feedback";
import { type GoalMatch, matchGoal } from "../reading/match-goal";
import type { CollectionEvidence, CollectionSettings, Goal, LeftCode } from "../types";

/** Proposes, for each Knowledge goal, the conversation's best answer to a question about it. */
export function teachProjectKnowledge(
  conversation: ConversationSnapshot,
  evidence: CollectionEvidence,
  { filters }: Pick<CollectionSettings, "filters">,
): Drafts {
  const drafts = new Drafts(conversation);
  const only = filters?.knowledgeGoalIds ?? [];
  const goals = evidence.goals.filter(({ id }) => only.length === 0 || only.includes(id));
  if (goals.length === 0) drafts.leave("no_goal");
  else if (evidence.occurrences.some(({ reviewStatus }) => reviewStatus !== "dismissed")) drafts.leave("has_finding");
  else if (evidence.feedback.some((one) => isNegative(one, evidence.feedback))) drafts.leave("negative_feedback");
  else {
    const left = new Set(goals.map((goal) => teach(conversation, goal, drafts)));
    // A conversation is about few of many goals, so it counts as left out only once.
    if (drafts.list.length === 0) {
      if (left.has("not_answered_well")) drafts.leave("not_answered_well");
      else if (left.has("goal_not_answered")) drafts.leave("goal_not_answered");
    }
  }
  return drafts;
}

/** Proposes the best answer about a goal; otherwise returns why there is none. */
function teach(conversation: ConversationSnapshot, goal: Goal, drafts: Drafts): LeftCode | null {
  const matches = answers(conversation)
    .flatMap((answer) => {
      const match = answer.question && matchGoal(goal, answer.question.text, answer.text);
      return match ? [{ answer, match }] : [];
    })
    .toSorted((a, b) => b.match.score - a.match.score || a.answer.index - b.answer.index);
  if (matches.length === 0) return "goal_not_answered";
  const best = matches.find(({ answer }) => isAnsweredWell(conversation, answer));
  if (!best) return "not_answered_well";
  const { index, text } = best.answer;
  drafts.propose(
    before(index),
    { expected: text },
    {
      reason: reasonOf(goal, best.match, best.answer),
      reasonCode: "knowledge_goal",
      turn: index,
      answerTurn: index,
      source: "knowledge_goal",
      knowledgeGoalId: goal.id,
    },
  );
  return null;
}

const isAnsweredWell = (conversation: ConversationSnapshot, answer: Answer) =>
  answer.reaction !== "objects" &&
  isComplete(conversation, answer) &&
  !isFailing(conversation, answer.index) &&
  !followsFailure(conversation, answer);

function reasonOf({ title }: Goal, { phrase, place }: GoalMatch, { reaction }: Answer): string {
  const where = place === "question" ? `the user asked about “${phrase}”` : `the answer is about “${phrase}”`;
  const how = reaction === "accepts" ? "the user accepted the answer" : "nobody objected to the answer";
  return `It is about the Knowledge goal “${title}”: ${where}, and ${how}.`;
}
