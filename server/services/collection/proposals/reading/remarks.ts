/** A remark on an answer, such as "you should have asked first", rather than the answer that it should have been. */
const REMARK =
  /^\W{0,3}(?:(?:the|this|that|your|its|it's) (?:answer|response|reply|bot|assistant|model|agent|information)\b|(?:you|the (?:assistant|bot|model|agent)|it|this|that) (?:should|shouldn[’']t|must|needs? to|ought|could|failed|forgot|missed|did ?n[’']t|did not|is|was|were|are) ?(?:not )?(?:have|be|been|wrong|incorrect|bad|say|said|mention|ask|check|use|answer|respond|reply|include|apologi[sz]e|false|too|outdated|hallucinat\w*)\b|(?:wrong|incorrect|bad|false|no|nope|not (?:true|correct|right|helpful))[.!]?$|(?:wrong|incorrect)\b[^.]{0,40}$|should (?:have|be|say|mention)\b|(?:falsch|stimmt nicht|die antwort|la réponse|la respuesta|a resposta)\b)/iu;

/** Returns whether a correction talks about the answer instead of giving a better one. */
export const isRemark = (correction: string): boolean => REMARK.test(correction.trim());
