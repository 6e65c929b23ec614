import type { Convention } from "../convention";

export const LITELLM: Convention = {
  name: "LiteLLM",
  source: null,
  attributes: [],
  unread: {
    hidden_params: "how LiteLLM routed the request",
    "litellm.*": "how LiteLLM routed the request",
    "llm.openai.*": "the raw request and response of LiteLLM, whose parent span is read",
  },
};
