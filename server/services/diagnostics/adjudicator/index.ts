export { openAdjudicator, type Session } from "./adjudicate";
export { isAdjudication } from "./adjudication-mark";
export { usedToday } from "./budget";
export { deleteExpiredAdjudications } from "./cached-answers";
export { estimateQuestions, type Sampled, withinBudget } from "./estimate-questions";
export { type Adjudicator, DEFAULT_CACHE_DAYS, findAdjudicator } from "./find-adjudicator";
