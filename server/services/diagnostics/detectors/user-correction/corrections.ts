import type { ConversationSnapshot } from "../../types";
import { sentenceAround } from "../reading/sentence";
import { type UserTurn, userTurns } from "../reading/user-turns";
import { phraseSets } from "../reading/words/phrase-sets";

/** A user's correction of what the assistant said or understood. */
export type Correction = {
  turn: UserTurn;
  /** `[start, end)` of its sentence in the message. */
  start: number;
  end: number;
  words: string;
  /** `sure`: it says outright that the assistant was wrong; `likely`: in words that may be about something else. */
  certainty: "sure" | "likely" | "perhaps";
};

const CORRECTIONS = phraseSets({
  sure: [
    "(no|nope) (no|) i meant",
    "(no|nope) i (said|asked for|asked about|asked you|wanted)",
    "i (meant|said|asked for|asked about) (not|rather)",
    "(thats|that is|this is|youre|you are) (wrong|incorrect|mistaken|not correct|not true|not accurate)",
    "(thats|that is|this is) not (what i said|what i asked|what i meant|what i wanted|correct|true|accurate)",
    "(that|this) (isnt|is not|wasnt|was not) (what i said|what i asked|what i meant|what i wanted|correct|true|accurate)",
    "not what i (asked|said|meant|wanted|requested|ordered)",
    "you (misunderstood|misread|misheard|got it wrong|got that wrong|got this wrong|have it wrong|are confusing|confused)",
    "i (didnt|did not|never) (say that|said that|said i|say i|ask for|asked for|ask you|asked you)",
    "your answer (is|was) (wrong|incorrect)",
    "you made a mistake",
    "let me correct (you|that)",
    "nein ich (meinte|meine|wollte|sagte|habe)",
    "(das ist|das war) (leider|so|) (falsch|nicht richtig|nicht korrekt|nicht das was ich)",
    "das stimmt (so|leider|) nicht",
    "(das habe ich nicht gesagt|du hast mich falsch verstanden|sie haben mich falsch verstanden|ich meinte)",
    "non je (voulais|parlais|veux dire|voulais dire|demandais)",
    "(cest faux|cest incorrect|ce nest pas correct|ce nest pas ce que|je nai pas dit|vous avez mal compris|tu as mal compris|je voulais dire)",
    "no (yo|) (me refería|quería decir|quise decir|dije|pedí)",
    "(eso es incorrecto|eso no es correcto|eso está mal|eso es falso|no es lo que|no dije|me has entendido mal|me entendió mal|me refería a|quise decir)",
    "(isso está errado|não foi isso que|não é isso que|eu quis dizer|è sbagliato|non è corretto|non è quello che|intendevo)",
    ...["不是这个", "你错了", "说错了", "搞错了", "我的意思是", "我说的是", "我是说", "不是我"],
    ...[
      "違います",
      "間違っています",
      "間違ってます",
      "そうじゃなく",
      "ではなくて",
      "という意味で",
      "と言ったのは",
      "言っていません",
    ],
  ],
  perhaps: [
    "(sorry|wait|oops) i (meant|mean)",
    "no i mean",
    "(actually|correction) (its|it is|i|the|my|that|)",
    "(no|nope) (its|it is|its actually|the|my|i need|i want|i wanted|that)",
    "(it|that) should (be|have been)",
    "not (that|this) one",
    "(thats|that is) not (right|it)",
    "(eigentlich|en fait|en realidad|na verdade|in realtà)",
    "(nein es|nein das|non cest|no es)",
    ...["其实", "应该是", "じゃなくて", "実は"],
  ],
});

/** Declines, closes or agrees: "no, that's all, thanks". */
const POLITE =
  /(?<!\p{L})(?:thanks?|thank you|that(?:'|’)?s (?:all|it|everything|fine|ok(?:ay)?|right|correct|great|perfect)|no (?:worries|problem|need)|danke|merci|gracias|obrigad[oa]|grazie)(?!\p{L})|谢谢|ありがとう/iu;
/** The assistant asks something with a right answer, so that "wrong" may be the user's guess or their verdict in a game. */
const QUIZ =
  /(?<!\p{L})(?:quiz|trivia|riddle|true or false|guess|which of the following|question \d|answer is)(?!\p{L})/iu;
/** Tasks that are themselves about right and wrong. */
const ABOUT_WORK =
  /(?<!\p{L})(?:review|proofread|grammar|essay|homework|my (?:teacher|professor|boss|friend|wife|husband|colleague) (?:says?|said|thinks?|told)|he (?:says?|said)|she (?:says?|said)|they (?:says?|said)|pull request|this (?:line|code|function|sentence))(?!\p{L})/iu;

/** People also correct themselves. */
const OWN_MISTAKE =
  /(?<!\p{L})(?:sorry|my (?:mistake|bad|fault)|mixed up|oops|entschuldigung|pardon|perdón)(?!\p{L})/iu;

/** A correction begins within the first words of its turn. */
const FIRST_WORDS = 12;

const correctionsOf = new WeakMap<readonly UserTurn[], readonly Correction[]>();

/** Returns the user's corrections, in order. Memoized. */
export function corrections(conversation: ConversationSnapshot): readonly Correction[] {
  const turns = userTurns(conversation);
  let found = correctionsOf.get(turns);
  if (!found) {
    found = turns.flatMap(correctionIn);
    correctionsOf.set(turns, found);
  }
  return found;
}

function correctionIn(turn: UserTurn): Correction[] {
  if (turn.heardIndex === null) return [];
  const said = CORRECTIONS.find(turn.words).filter(({ word }) => word <= FIRST_WORDS);
  const found = said.find(({ set }) => set === "sure") ?? said[0];
  if (!found) return [];
  const [start, end] = sentenceAround(turn.text, found.start, found.end);
  const words = turn.text.slice(start, end).trim();
  const isPolite = POLITE.test(words);
  if (isPolite && found.set === "perhaps") return [];
  const isPlain = !isPolite && !OWN_MISTAKE.test(words) && !QUIZ.test(turn.heard) && !ABOUT_WORK.test(words);
  const certainty = found.set === "perhaps" ? "perhaps" : isPlain ? "sure" : "likely";
  return [{ turn, start, end, words, certainty }];
}
