export { openAdjudicator, type Session } from "./adjudicate";
export { adjudicationMark, isAdjudication } from "./adjudication-mark";
export { complete, type Model, mostUsed, NoAnswer, roughTokens, usageOf } from "./ask-model";
export { usedToday } from "./budget";
export {
  type AnswerCache,
  answerKey,
  conversationCache,
  deleteExpiredAdjudications,
  type Tokens,
} from "./cached-answers";
export { estimateQuestions, estimateTokens, type Sampled, withinBudget } from "./estimate-questions";
export { type Adjudicator, DEFAULT_CACHE_DAYS, findAdjudicator } from "./find-adjudicator";
export { withoutInstructions } from "./mask-instructions";
export { type ModelSession, openModel, type PromptWithin } from "./open-model";
export { type Prompt, TRANSCRIPT_CHARACTERS } from "./prompt";
export { fenceOf, newestFirst, shownLines } from "./shown-lines";
