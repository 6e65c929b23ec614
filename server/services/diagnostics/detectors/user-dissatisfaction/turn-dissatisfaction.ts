import type { ConversationSnapshot } from "../../types";
import { type UserTurn, userTurns } from "../reading/user-turns";
import type { FoundPhrase } from "../reading/words/phrase-sets";
import { wordOverlap, wordsIn } from "../reading/words/word-overlap";
import { ASKED_CUES, HEARD_CUES, MILD_CUES, USER_CUES } from "./cues";

/** Log-odds that each kind of wording adds, once per turn. */
const WEIGHTS = {
  anger: 4,
  curse: 2,
  complaint: 1.8,
  dislike: 1.6,
  otherwise: 1.2,
  no: 2.2,
  content: -1,
  closing: 0,
  failed: 1,
  denied: 0.7,
  lost: 0.9,
  served: -0.6,
} as const;
/** Log-odds of wording that only shifts an estimate, once per turn. */
const MILD_WEIGHTS = {
  regret: 0.9,
  negation: 0.5,
  none: 0.5,
  correction: 0.5,
  excess: 0.3,
  addition: -0.3,
  liking: -0.4,
} as const;
/** Share that remains of a dislike that answers "did you like it?", which concerns a thing rather than the answer. */
const OPINION_ASKED = 0.8;
/** After "anything else?", a "no" declines more help. */
const MORE_OFFERED = -0.3;
/** A turn before which nothing was answered can hardly reject an answer. */
const UNANSWERED = -0.8;
type Cue = keyof typeof WEIGHTS;

const BIAS = -3.2;
const EMPHASIS = { pattern: /[!?]{2}|\?!/, weight: 0.4 };
/** A "no" that thanks or closes declines more help, which is not a complaint. */
const POLITE_NO = -1.2;
/** Words before a "no" that opens a turn: "oh, sorry, no". */
const OPENING_WORDS = 2;
/** Share of a turn's dissatisfaction that carries over to the next turn. */
const MEMORY = 0.35;
const MEMORY_MAX = 2.5;
const REPEATED = { from: 0.6, weight: 0.8, words: 3 };

export type JudgedTurn = {
  turn: UserTurn;
  score: number;
  said: readonly FoundPhrase<string>[];
  cues: ReadonlySet<string>;
};

const judgedOf = new WeakMap<readonly UserTurn[], readonly JudgedTurn[]>();

/** Returns how likely the user is dissatisfied at each turn, 0..1. Memoized. */
export function judgedTurns(conversation: ConversationSnapshot): readonly JudgedTurn[] {
  const turns = userTurns(conversation);
  let judged = judgedOf.get(turns);
  if (!judged) {
    judged = judge(turns);
    judgedOf.set(turns, judged);
  }
  return judged;
}

/** Returns whether a phrase is part of another set's: "are you sure" does not count as "sure". */
const isInside = (one: FoundPhrase<string>, other: FoundPhrase<string>) =>
  other.set !== one.set && other.start <= one.start && other.end >= one.end;

function judge(turns: readonly UserTurn[]): JudgedTurn[] {
  let remembered = 0;
  let before: ReadonlySet<string> = new Set();
  return turns.map((turn) => {
    const found = USER_CUES.find(turn.words).filter(({ set, word }) => set !== "no" || word <= OPENING_WORDS);
    const said = found.filter((one) => one.set !== "content" || !found.some((other) => isInside(one, other)));
    const heard = turn.heard === "" ? [] : HEARD_CUES.find(turn.heardWords);
    const cues = new Set<Cue>([
      ...said.map(({ set }) => set),
      ...heard.filter(({ set, word }) => set !== "denied" || word === 0).map(({ set }) => set),
    ]);
    let own = 0;
    for (const cue of cues) own += WEIGHTS[cue];
    for (const cue of new Set(MILD_CUES.find(turn.words).map(({ set }) => set))) own += MILD_WEIGHTS[cue];
    const asked = new Set(ASKED_CUES.find(turn.heardWords).map(({ set }) => set));
    if (asked.has("offer")) own += MORE_OFFERED;
    if (asked.has("opinion") && own > 0 && !cues.has("failed")) own *= OPINION_ASKED;
    if (turn.heardIndex === null) own += UNANSWERED;
    if (cues.has("no") && (cues.has("content") || cues.has("closing"))) own += POLITE_NO;
    if (EMPHASIS.pattern.test(turn.text)) own += EMPHASIS.weight;
    const words = wordsIn(turn.words);
    if (words.size >= REPEATED.words && wordOverlap(words, before) >= REPEATED.from) own += REPEATED.weight;
    before = words;
    const score = 1 / (1 + Math.exp(-(BIAS + own + remembered)));
    remembered = Math.min(MEMORY_MAX, Math.max(0, own + remembered) * MEMORY);
    return { turn, score, said, cues };
  });
}
