import { CHAT_LIMITS } from "./chat-payload/schemas";

/** Messages after the last one of an Example that are read too: what the user said to its answer. */
const AFTER = 100;

/**
 * How much of a conversation's beginning can be in an Example, which has the whole conversation up to its answer. `bytes` are as
 * stored: reasoning and the like is left out of an Example.
 */
export const EXAMPLE_REACH = {
  messages: CHAT_LIMITS.messages + 2 * AFTER,
  bytes: 16 * CHAT_LIMITS.payloadBytes,
  around: AFTER,
};
