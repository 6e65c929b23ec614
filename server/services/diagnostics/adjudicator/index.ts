export { openAdjudicator, type Session } from "./adjudicate";
export { adjudicationMark, isAdjudication } from "./adjudication-mark";
export { NoAnswer } from "./ask-model";
export { usedToday } from "./budget";
export { deleteExpiredAdjudications } from "./cached-answers";
export { estimateQuestions, type Sampled, withinBudget } from "./estimate-questions";
export { type Adjudicator, DEFAULT_CACHE_DAYS, findAdjudicator } from "./find-adjudicator";
export { type ModelSession, openModel } from "./open-model";
export { type Prompt, TRANSCRIPT_CHARACTERS } from "./prompt";
