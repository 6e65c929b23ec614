export { openAdjudicator, promptsOf, type Session } from "./adjudicate";
export { adjudicationMark, isAdjudication } from "./adjudication-mark";
export { type Budget, complete, NoAnswer, roughTokens, tokensOfText, usageOf } from "./ask-model";
export { dailyLimitsOf, usedToday } from "./budget";
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
export { type ModelSession, openEndpoint, openModel, type PromptWithin } from "./open-model";
export { type Prompt, TRANSCRIPT_CHARACTERS } from "./prompt";
export { fenceOf, newestFirst, shownLines } from "./shown-lines";
