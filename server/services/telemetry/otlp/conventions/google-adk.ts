import type { Convention } from "../convention";

export const GOOGLE_ADK: Convention = {
  name: "Google ADK",
  source: null,
  attributes: [
    "gcp.vertex.agent.llm_request",
    "gcp.vertex.agent.llm_response",
    "gcp.vertex.agent.tool_call_args",
    "gcp.vertex.agent.tool_response",
  ],
  unread: {
    "gcp.vertex.agent.event_id": "how Google's ADK joins its own events",
    "gcp.vertex.agent.invocation_id": "how Google's ADK joins its own events",
  },
};
