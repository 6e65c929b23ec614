import type { Convention } from "../convention";
import { number, text } from "../readers/reader";

export const LITELLM: Convention = {
  name: "LiteLLM",
  source: null,
  fallback: {
    userId: [text("llm.user")],
  },
  ignoredSpans: ["raw_gen_ai_request"], // a copy of the raw request, a child of the call that it copies
  frameworks: ["litellm"],
  reportedCost: [number("gen_ai.cost.total_cost")],
  usageObjects: [["metadata.usage_object"]], // as Python text
  shown: ["metadata.*", "gen_ai.cost.*"],
  alsoSends: [],
  unread: {
    hidden_params: "how LiteLLM routed the request",
    "litellm.*": "how LiteLLM routed the request",
    "llm.openai.*": "the raw request and response of LiteLLM, whose parent span is read",
  },
};
