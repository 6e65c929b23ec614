import type { LabelledConversation } from "@/bench/labelled";
import type { RuleGold } from "./types";

/** Tool results that were judged, by message index. */
function judged({ messages }: LabelledConversation): Map<number, boolean> | null {
  const results = messages.flatMap(({ role, tool_error }, index) =>
    role === "tool" && typeof tool_error === "boolean" ? [[index, tool_error] as const] : [],
  );
  return results.length > 0 ? new Map(results) : null;
}

export const toolFailureGold: RuleGold = {
  conversations: {
    tool_error: (conversation) => {
      const results = judged(conversation);
      if (!results) return null;
      return {
        present: [...results.values()].includes(true),
        correct: ({ evidence }) =>
          evidence.some(({ messageIndex }) => messageIndex !== null && results.get(messageIndex) === true),
      };
    },
  },
  messages: { tool_error: judged },
};
