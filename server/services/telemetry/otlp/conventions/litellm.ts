import type { Convention } from "../convention";
import { text } from "../readers/reader";

export const LITELLM: Convention = {
  name: "LiteLLM",
  source: null,
  fallback: {
    userId: [text("llm.user")],
  },
  attributes: [],
  unread: {
    hidden_params: "how LiteLLM routed the request",
    "litellm.*": "how LiteLLM routed the request",
    "llm.openai.*": "the raw request and response of LiteLLM, whose parent span is read",
  },
};
