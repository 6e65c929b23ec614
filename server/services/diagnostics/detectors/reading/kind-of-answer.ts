/** Characters at the start of an answer that say what kind it is. */
const READ = 400;
const DECLINES =
  /\b(?:sorry|apologi[sz]e|apologies|unfortunately|i[’']?m afraid|unable|not able|not possible|unavailable|can(?:not|[’']?t)|couldn[’']?t|could not)\b|leider|entschuldig|désolé|malheureusement|lo siento|lamentablemente|desculp|infelizmente|purtroppo|mi dispiace|抱歉|对不起|无法|申し訳|残念ながら/iu;
const ENDS_WITH_A_QUESTION = /[?？؟]["”»)*_\s]{0,4}$/u;

/** What an answer does, so that conversations are grouped by that and not by anybody's words. */
export type AnswerKind = "asks back" | "declines" | "answers";

/** Returns what an assistant's text does. */
export function kindOfAnswer(text: string): AnswerKind {
  const said = text.trim();
  if (DECLINES.test(said.slice(0, READ))) return "declines";
  return ENDS_WITH_A_QUESTION.test(said.slice(-20)) ? "asks back" : "answers";
}
