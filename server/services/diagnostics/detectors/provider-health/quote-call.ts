import type { ConversationSnapshot, Evidence, SnapshotModelCall } from "../../types";
import { quoteMessage } from "../reading/evidence";

/** Returns a quote of the reply that a model call produced, or `null` if no message names its span. */
export function quoteCall({ messages }: ConversationSnapshot, call: SnapshotModelCall): Evidence | null {
  const index = messages.findLastIndex(({ role, spanId }) => role === "assistant" && spanId === call.spanId);
  return index < 0 ? null : quoteMessage(messages, index);
}
