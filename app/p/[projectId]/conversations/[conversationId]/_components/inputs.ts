/** What the conversation's page reads, shared by the server's first render and the browser. */

/** Messages per request: a screen or two. */
export const CHUNK = 50;
/** Up to this many messages are all in the DOM, so that the browser's own search finds them. */
export const ALL_IN_PAGE = 150;
/** Model calls per page. */
const CALLS_PER_PAGE = 250;

/** The conversation without its parts, which are loaded in pages. */
export const summaryInput = (projectId: string, conversationId: string) => ({ projectId, conversationId, parts: 0 });

export const chunkInput = (projectId: string, conversationId: string, fromIndex: number) => ({
  projectId,
  conversationId,
  fromIndex,
  limit: CHUNK,
});

export const modelCallsInput = (projectId: string, conversationId: string) => ({
  projectId,
  conversationId,
  limit: CALLS_PER_PAGE,
});

/** Returns the starts of the chunks that a page opens with: all of a short conversation, the first of a long one. */
export const firstStarts = (messageCount: number) =>
  messageCount > ALL_IN_PAGE
    ? [0]
    : Array.from({ length: Math.max(1, Math.ceil(messageCount / CHUNK)) }, (_, n) => n * CHUNK);
