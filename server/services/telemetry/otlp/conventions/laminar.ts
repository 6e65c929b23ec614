import type { Convention } from "../convention";
import { mapped, text } from "../readers/reader";
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
  attributes: [],
  unread: {},
};
