import { contentHashOf, rememberContentHash } from "../chat-payload";
import type { ChatPayload } from "../chat-payload/schemas";
import { rememberSearchWords, searchWordsOf } from "./lists/example-terms";

/** What writing an Example needs of its payload, and takes longest to compute. The words are one text: it is sent in far less time. */
export type PreparedExample = { contentHash: string; searchWords: string };

export const preparedExample = (payload: ChatPayload): PreparedExample => ({
  contentHash: contentHashOf(payload),
  searchWords: searchWordsOf(payload).join(" "),
});

/** Memoizes what another process computed for an equal payload. */
export function rememberPrepared(payload: ChatPayload, { contentHash, searchWords }: PreparedExample): void {
  rememberContentHash(payload, contentHash);
  rememberSearchWords(payload, searchWords === "" ? [] : searchWords.split(" "));
}
