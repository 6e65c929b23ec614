import type { Convention } from "../convention";
import { idInJson } from "../readers/ids";
import { tagsIn } from "../readers/tags";

export const LANGCHAIN: Convention = {
  name: "LangChain and LangGraph",
  source: null,
  // OpenInference reports its metadata so.
  conversationId: [idInJson("metadata", "session_id", "thread_id", "conversation_id")],
  userId: [idInJson("metadata", "user_id")],
  labels: [tagsIn("metadata", "tags")],
  ownTags: /^(?:(?:seq|graph):step:\d+$|map:key:)/i,
  frameworks: ["langchain"],
  controlFlow: {
    GraphInterrupt: "interrupted",
    NodeInterrupt: "interrupted",
    GraphBubbleUp: "interrupted",
    GraphDelegate: "handed over",
    ParentCommand: "handed over",
  },
  controlFlowMessages: [
    [/^(?:[\w.]+\.)?(?:GraphInterrupt|NodeInterrupt|GraphBubbleUp)\b/, "interrupted"],
    [/^(?:[\w.]+\.)?ParentCommand\b/, "handed over"],
  ],
  shown: ["metadata"],
  alsoSends: [],
  unread: {},
};
