import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { mapped, text, textInJson, value } from "../readers/reader";

export const GENKIT: Convention = {
  name: "Genkit",
  source: null,
  spanType: [
    mapped("genkit:metadata:subtype", {
      model: "llm",
      embedder: "embedding",
      tool: "tool",
      flow: "chain",
      retriever: "retriever",
      reranker: "reranker",
      evaluator: "evaluator",
    }),
  ],
  requestedModel: [text("genkit:name")],
  finishReasons: [textInJson("genkit:output", "finishReason")],
  inputs: [messagesIn("genkit:input", "user")],
  outputs: [messagesIn("genkit:output", "assistant")],
  toolArguments: [value("genkit:input")],
  toolResult: [value("genkit:output")],
  usageObjects: [["genkit:output", "usage"]],
  alsoSends: [],
  unread: {
    "genkit:type": "`genkit:metadata:subtype` is read",
  },
};
