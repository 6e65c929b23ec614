import { CHAT_LIMITS } from "./chat-payload/schemas";

/** Messages read beyond the last one of an Example: they show how the user reacted to its answer. */
const AFTER = 100;

/**
 * How much of a conversation's beginning can be part of an Example, which contains everything up to its answer. `bytes` are as
 * stored: an Example omits reasoning and the like.
 */
export const EXAMPLE_REACH = {
  messages: CHAT_LIMITS.messages + 2 * AFTER,
  bytes: 16 * CHAT_LIMITS.payloadBytes,
  around: AFTER,
};
