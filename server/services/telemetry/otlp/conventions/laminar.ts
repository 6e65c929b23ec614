import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { mapped, text, value } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LAMINAR: Convention = {
  name: "Laminar",
  source: null,
  conversationId: [text("lmnr.association.properties.session_id")],
  userId: [text("lmnr.association.properties.user_id")],
  labels: [tagsIn("lmnr.association.properties.tags")],
  spanType: [
    mapped("lmnr.span.type", { llm: "llm", tool: "tool", default: "chain", executor: "chain", evaluator: "evaluator" }),
  ],
  inputs: [messagesIn("lmnr.span.input", "user")],
  outputs: [messagesIn("lmnr.span.output", "assistant")],
  toolArguments: [value("lmnr.span.input")],
  toolResult: [value("lmnr.span.output")],
  shown: ["lmnr.association.properties.*"],
  alsoSends: [],
  unread: {},
};
