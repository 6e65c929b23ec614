import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { mapped, number, text, value } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LANGWATCH: Convention = {
  name: "LangWatch",
  source: null,
  conversationId: [text("langwatch.thread.id")],
  userId: [text("langwatch.user.id")],
  labels: [tagsIn("langwatch.labels")],
  spanType: [
    mapped("langwatch.span.type", {
      llm: "llm",
      tool: "tool",
      agent: "agent",
      chain: "chain",
      workflow: "chain",
      span: "chain",
      rag: "retriever",
      guardrail: "guardrail",
      evaluation: "evaluator",
    }),
  ],
  reportedCost: [number("langwatch.span.cost")],
  inputs: [messagesIn("langwatch.input", "user")],
  outputs: [messagesIn("langwatch.output", "assistant")],
  toolArguments: [value("langwatch.input")],
  toolResult: [value("langwatch.output")],
  alsoSends: [],
  unread: {
    "langwatch.timestamps": "the span has its times",
  },
};
