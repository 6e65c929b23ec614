import { excerpt } from "@/server/platform/excerpt";
import {
  type ConversationSnapshot,
  type Correction,
  corrections,
  outcomeOf,
  wordOverlap,
} from "@/server/services/diagnostics/detectors/reading";
import { before, Drafts } from "../drafts";
import { answers, followsFailure, isFailing, isOpenQuestion } from "../reading/answers";
import { withoutApology } from "../reading/apology";
import { addsNothing, withLaterCalls, wordsOf } from "../reading/context-of";
import type { CollectionSettings } from "../types";

/**
 * Proposes the answer that the user accepted after correcting the previous one, which becomes the rejected answer. If the user
 * only repeated what they had already said, the context ends before the rejected answer; otherwise it includes the correction,
 * which the accepted answer needs.
 */
export function learnFromUserCorrections(
  conversation: ConversationSnapshot,
  { acceptsSilence = false }: Pick<CollectionSettings, "acceptsSilence">,
): Drafts {
  const drafts = new Drafts(conversation);
  const found = corrections(conversation);
  if (found.length === 0) drafts.leave("no_user_correction");
  for (const correction of found) {
    const lesson = lessonOf(conversation, correction, acceptsSilence);
    if (typeof lesson === "string") {
      drafts.leave(lesson);
      continue;
    }
    const { rejected, accepted } = lesson;
    const isRepeated = REPEATS.test(correction.turn.text) && addsNothing(conversation, rejected.index, accepted.index);
    const said = `The user corrected the assistant: “${excerpt(correction.words, 100)}”`;
    const took = accepted.reaction === "accepts" || accepted.reaction === "confirms";
    drafts.propose(
      isRepeated ? withLaterCalls(conversation, rejected.index, accepted.index) : before(accepted.index),
      { expected: isRepeated ? withoutApology(accepted.text) : accepted.text, rejected: rejected.text },
      {
        reason: took
          ? `${said}, and accepted its next answer: “${excerpt(accepted.reply!.text, 100)}”.`
          : `${said}, and moved on after its next answer.`,
        reasonCode: took ? "user_correction_accepted" : "user_correction_unopposed",
        turn: rejected.index,
        answerTurn: accepted.index,
        source: "correction",
      },
    );
  }
  return drafts;
}

/** Refers back to what the user said earlier, rather than changing their mind. */
const REPEATS =
  /\b(?:i (?:already |just )?(?:said|asked|told|wrote|meant|wanted|mentioned)|as i said|not what i|habe ich (?:doch |schon )?gesagt|ich (?:sagte|meinte|wollte)|j[’']ai (?:déjà )?dit|je voulais|ya (?:te |le )?(?:dije|he dicho)|dije|pedí|quería)\b|我说的是|我是说|と言った/iu;

function lessonOf(conversation: ConversationSnapshot, correction: Correction, acceptsSilence: boolean) {
  const said = answers(conversation);
  const rejected = said.find(({ index }) => index === correction.turn.heardIndex);
  // A reply to an open question or a greeting is not a correction.
  if (!rejected || rejected.question === null || isOpenQuestion(rejected.text)) return "no_user_correction" as const;
  const complied = said.find(({ index }) => index > correction.turn.index);
  if (!complied || complied.question !== correction.turn || isFailing(conversation, complied.index))
    return "correction_not_complied_with" as const;
  const isTaken = takesUp(conversation, correction, rejected.text, complied.text);
  if (!isTaken || followsFailure(conversation, complied)) return "correction_not_complied_with" as const;
  const { reaction } = complied;
  const isAccepted = reaction === "accepts" || reaction === "confirms" || (acceptsSilence && reaction === "goes_on");
  return isAccepted ? { rejected, accepted: complied } : ("correction_not_accepted" as const);
}

/** Share of common words from which the second answer counts as the first one redone. */
const REDONE = 0.5;

/**
 * Returns whether an answer follows a correction: it redoes the rejected answer or brings in words of the correction (both, if
 * the correction is uncertain).
 */
function takesUp(
  conversation: ConversationSnapshot,
  correction: Correction,
  rejected: string,
  complied: string,
): boolean {
  const outcome = outcomeOf(conversation, correction)?.kind;
  const [before, after] = [wordsOf(rejected), wordsOf(complied)];
  const corrected = wordsOf(correction.turn.text);
  const brings = [...after].some((word) => corrected.has(word) && !before.has(word));
  // To the detector, an answer that changes only a digit looks the same; a word of the correction shows that it changed.
  if (outcome === "ignored" && !brings) return false;
  const isRedone = wordOverlap(before, after) >= REDONE && [...after].some((word) => !before.has(word));
  return correction.certainty === "perhaps" ? isRedone && brings : isRedone || brings || outcome === "accepted";
}
