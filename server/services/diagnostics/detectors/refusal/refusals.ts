import type { Message } from "@/server/services/telemetry/schemas";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import refusalFile from "../text-model/models/refusal.generated.json" with { type: "json" };
import { scoreText, textModel } from "../text-model/score-text";
import {
  correctsThePremise,
  type Decline,
  disclaimerLength,
  findDecline,
  isFarewell,
  isInability,
  isServiceDenial,
  keepsTerms,
  reasonIn,
} from "./decline-phrases";

/** An answer that declines what the user asked. */
export type Refusal = {
  index: number;
  question: string;
  answer: string;
  score: number;
  verdict: "match" | "ambiguous";
  /** The answer helps with a part of the request, or with something similar. */
  isPartial: boolean;
  /** It declines for a business's terms, tools or task, not because the request sounds harmful. */
  isServiceDenial: boolean;
  reason: string | null;
  /** The sentence that declines. */
  start: number;
  end: number;
};

const model = textModel(refusalFile);

/** Characters at the start of an answer that are searched for a refusal. */
const HEAD = 400;
/** Characters in which an answer says what is possible instead. */
const DENIAL_READ = 1000;
/** Shorter answers must say explicitly that they decline. */
const SHORT = 60;
/** Score of an explicit refusal in a language on which the model was not trained. */
const FOREIGN_SCORE = 0.85;
/** Score of an explicit refusal of a part that provides the rest, which the model takes for an answer. */
const PART_SCORE = 0.55;
const MATCH_SCORE = 0.5;
const AMBIGUOUS_SCORE = 0.3;
/** Logits added: always, so that 0.5 is the best threshold on held-out data; for explicit phrases; for mere inability. */
const OFFSET = 0.6;
const EXPLICIT_BONUS = 0.7;
const INABILITY_MALUS = -0.8;
const JUDGES_BONUS = 1.5;
const CORRECTION_MALUS = -1.2;
/** Score of "I don't have access to …" where what is asked is somebody's and the answer speaks of privacy. */
const PRIVATE_SCORE = 0.7;
/** Score of an answer with only "sorry" or "unable", which shops and tools also say, if the model is sure enough. */
const HINT_SCORE = 0.4;
const HINT_SURE = 0.7;
/** A log with at least this many speakers in the assistant's role is a discussion. */
const SPEAKERS = 3;

const refusalsOf = new WeakMap<readonly Message[], readonly Refusal[]>();

/** Returns the answers that decline, in order. Memoized per list of messages. */
export function refusalsIn(messages: readonly Message[]): readonly Refusal[] {
  let refusals = refusalsOf.get(messages);
  if (!refusals) {
    refusals = isDiscussion(messages) ? [] : messages.flatMap((_, index) => refusalAt(messages, index) ?? []);
    refusalsOf.set(messages, refusals);
  }
  return refusals;
}

function isDiscussion(messages: readonly Message[]): boolean {
  const speakers = new Set<unknown>();
  for (const { role, parts } of messages) {
    const name = role === "assistant" ? parts[0]?.name : undefined;
    if (name !== undefined) speakers.add(name);
    if (speakers.size >= SPEAKERS) return true;
  }
  return false;
}

function refusalAt(messages: readonly Message[], index: number): Refusal | null {
  const message = messages[index]!;
  const before = messages[index - 1];
  // After a tool call, an answer reports what the tool could not do; after another answer, nobody asked.
  if (message.role !== "assistant" || message.toolCalls.length > 0 || before?.role !== "user") return null;
  const whole = textOf(message);
  const skipped = disclaimerLength(whole);
  const head = " ".repeat(skipped) + proseOf(message).slice(skipped, skipped + HEAD);
  const question = textOf(before);
  if (head.trim() === "" || question.trim() === "") return null;
  const decline = isFarewell(head) ? null : findDecline(head);
  const answer = whole.slice(skipped);
  const plain = answer.slice(0, DENIAL_READ).replaceAll("’", "'");
  if (!decline || keepsTerms(plain)) return null;
  const sentence = sentenceAround(head, decline);
  const isPartial = helpsToo(whole, sentence);
  const score = Math.max(scoreOf(decline, head, answer), isPartial && decline.kind === "explicit" ? PART_SCORE : 0);
  if (score < AMBIGUOUS_SCORE) return null;
  return {
    index,
    question,
    answer,
    score,
    verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
    isPartial,
    isServiceDenial: isServiceDenial(plain),
    reason: reasonIn(head),
    ...sentence,
  };
}

function scoreOf({ kind }: Decline, head: string, answer: string): number {
  if (kind === "foreign") return FOREIGN_SCORE;
  const isExplicit = kind === "explicit";
  if (kind === "private") return PRIVATE_SCORE;
  if (!isExplicit && head.trim().length < SHORT) return 0;
  const more = isExplicit ? EXPLICIT_BONUS : bonusOf(kind, head);
  const logit = logitOf(scoreText(model, answer)) + OFFSET + more;
  const score = 1 / (1 + Math.exp(-logit));
  if (kind === "hint") return score >= HINT_SURE ? HINT_SCORE : 0;
  return score;
}

function bonusOf(kind: Decline["kind"], head: string): number {
  const corrects = correctsThePremise(head) ? CORRECTION_MALUS : 0;
  if (kind === "judges") return JUDGES_BONUS + corrects;
  return (isInability(head) ? INABILITY_MALUS : 0) + corrects;
}

const logitOf = (probability: number) => Math.log((probability + 1e-6) / (1 - probability + 1e-6));

/** Characters of a sentence that are quoted on either side of a phrase. */
const SENTENCE = 200;
const SENTENCE_ENDS = /[.!?。！？\n]/;

function sentenceAround(head: string, { start, end }: { start: number; end: number }): { start: number; end: number } {
  let from = start;
  while (from > 0 && start - from < SENTENCE && !SENTENCE_ENDS.test(head[from - 1]!)) from--;
  while (from < start && head[from] === " ") from++;
  let to = end;
  while (to < head.length && to - end < SENTENCE && !SENTENCE_ENDS.test(head[to - 1] ?? "")) to++;
  return { start: from, end: to };
}

/** Declines only a part: the exact wording, the full text, the second question. */
const PART =
  /\b(?:specific|exact|detailed|full|complete|entire|verbatim|step-by-step|personali[sz]ed|real-time|precise|actual|(?:this|that|first|second|last) part)\b/i;
/** Announces what it provides after all. Offers of other help and advice against the request do not count. */
const GIVES =
  /\b(?:here(?:'s| is| are)|below (?:is|are)|i can (?:provide|give|offer|tell|explain|share|outline|summari[sz]e|describe)|in general|generally)\b[^\n]{0,200}/i;
const GIVEN_MINIMUM = 300;
const GIVEN_READ = 600;

function helpsToo(answer: string, { start, end }: { start: number; end: number }): boolean {
  if (answer.length - end < GIVEN_MINIMUM || !PART.test(answer.slice(start, end))) return false;
  return GIVES.test(answer.slice(end, end + GIVEN_READ).replaceAll("’", "'"));
}
