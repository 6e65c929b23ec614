import "server-only";

export { contentHashOf, PAYLOAD_FIELDS, rememberContentHash } from "./content-hash";
export type { ChatProblem } from "./problems";
export { searchTextOf } from "./search-text";
export { tokenEstimateOf } from "./token-estimate";
export { validateChatPayload } from "./validate-chat-payload";
export { wordsHashOf } from "./words-hash";
