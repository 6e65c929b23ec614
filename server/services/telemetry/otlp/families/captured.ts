import type { Family } from "./family";

export const CAPTURED: Family = {
  name: "Anthropic’s SDK, Claude Code, Google ADK, Genkit, LiteLLM, Strands and others",
  source:
    "spans that were captured from these clients, not from their source; what they share with a family above is there",
  attributes: [
    "anthropic.response.service_tier",
    "anthropic.message.stop_reason",
    "gcp.vertex.agent.llm_request",
    "gcp.vertex.agent.llm_response",
    "gcp.vertex.agent.tool_call_args",
    "gcp.vertex.agent.tool_response",
    "genkit:input",
    "genkit:output",
    "system_prompt",
    "speed",
  ],
  unread: {
    "anthropic.request.id": "the id of a request; the response has its own",
    attempt: "every attempt has its own span",
    "llm_request.context": "which part of Claude Code asked",
    "event_loop.*": "how Strands runs its loop",
    "tool.result": "the event of the tool holds it",
    "gcp.vertex.agent.event_id": "how Google's ADK joins its own events",
    "gcp.vertex.agent.invocation_id": "how Google's ADK joins its own events",
    "genkit:type": "`genkit:metadata:subtype` is read",
    hidden_params: "how LiteLLM routed the request",
    "litellm.*": "how LiteLLM routed the request",
    "llm.openai.*": "the raw request and response of LiteLLM, whose parent span is read",
    "langwatch.timestamps": "the span has its times",
    "latitude.tags": "tags of Latitude",
  },
};
