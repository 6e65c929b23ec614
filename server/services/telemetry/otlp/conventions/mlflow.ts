import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { jsonText, mapped, value } from "../readers/reader";

export const MLFLOW: Convention = {
  name: "MLflow",
  source: null,
  fallback: {
    userId: [jsonText("mlflow.trace.user")],
  },
  spanType: [
    mapped("mlflow.spanType", {
      '"chat_model"': "llm",
      '"llm"': "llm",
      '"embedding"': "embedding",
      '"tool"': "tool",
      '"agent"': "agent",
      '"chain"': "chain",
      '"retriever"': "retriever",
      '"reranker"': "reranker",
    }),
  ],
  inputs: [messagesIn("mlflow.spanInputs", "user")],
  outputs: [messagesIn("mlflow.spanOutputs", "assistant")],
  toolArguments: [value("mlflow.spanInputs")],
  toolResult: [value("mlflow.spanOutputs")],
  alsoSends: [],
  unread: {},
};
