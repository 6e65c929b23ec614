/** Begins a sentence that apologises for a mistake, or gives thanks for pointing it out. */
const APOLOGIES =
  /^(?:(?:oh|ah|oops|yes|ok(?:ay)?|got it|understood|right|no problem)[,.! ]{1,3})?(?:(?:i[’']m |i am |my )?(?:so |very |really |truly |deeply |sincere )?(?:sorry|apologi[sz]e|apologies)|i apologi[sz]e|my (?:mistake|bad|error|apologies)|pardon|you(?:[’']re| are) (?:absolutely |completely |quite |totally )?(?:right|correct)|good catch|thank(?:s| you) for (?:the correction|correcting|clarifying|the clarification|pointing|catching|letting me know|your patience)|i (?:misunderstood|misread|see what you mean|stand corrected|was wrong|was mistaken)|entschuldig\w+|tut mir leid|sie haben recht|du hast recht|mein fehler|désolée?|pardon|excusez|vous avez raison|tu as raison|toutes mes excuses|perdón|perdone?|disculp\w+|lo siento|tiene[s]? razón|desculp\w+|você tem razão|mi (?:dispiace|scusi)|scus\w+|hai ragione)\b|^(?:抱歉|对不起|您说得对|你说得对|申し訳|失礼しました|おっしゃる通り|すみません)/iu;
/** Makes it information rather than an apology. */
const INABILITY =
  /\b(?:unable|went wrong|problem|error|fail\w*|only|not able|can ?not|can[’']t|could ?n[’']t|could not|did ?n[’']t|unavailable|not (?:available|possible|allowed)|no (?:longer|results?)|but|however|nicht|kein\w*|pas|no (?:puedo|pude|es))\b|无法|不能|できま/iu;
const SENTENCE = /^[^.!?。！？\n]+(?:[.!?。！？]+|\n+|$)\s*/u;
/** Only so many leading sentences may be an apology. */
const SENTENCES_MAX = 3;
const LETTERS_LEAST = 12;

/** Returns an answer without its opening apology, unless nothing else would be left. */
export function withoutApology(text: string): string {
  let rest = text.trimStart();
  for (let nth = 0; nth < SENTENCES_MAX; nth++) {
    const [sentence] = SENTENCE.exec(rest) ?? [];
    if (!sentence || !APOLOGIES.test(sentence) || INABILITY.test(sentence)) break;
    rest = rest.slice(sentence.length);
  }
  return rest.replaceAll(/[\p{P}\p{Z}\s]/gu, "").length < LETTERS_LEAST ? text : rest;
}
