/** Lets other modules read a conversation exactly as the detectors do, instead of duplicating their cues. */

export type { ConversationSnapshot } from "../../types";
export { refusalsIn } from "../refusal/refusals";
export { toolFailures } from "../tool-failure/tool-failures";
export { isPublic } from "../unsafe-content/personal-data-leak";
export { type Correction, corrections } from "../user-correction/corrections";
export { outcomeOf } from "../user-correction/outcome";
export { shareOfScale } from "../user-dissatisfaction/share-of-scale";
export { judgedTurns } from "../user-dissatisfaction/turn-dissatisfaction";
export { spokenMessages } from "./assistant-messages";
export { proseOf } from "./prose";
export { textOf } from "./text";
export { type ToolExchange, toolExchanges } from "./tool-exchanges";
export { type UserTurn, userTurns } from "./user-turns";
export { type PhraseSets, phraseSets, wordList } from "./words/phrase-sets";
export { wordOverlap, wordsIn } from "./words/word-overlap";
