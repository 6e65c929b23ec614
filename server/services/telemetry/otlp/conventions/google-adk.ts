import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { textInJson, value } from "../readers/reader";

export const GOOGLE_ADK: Convention = {
  name: "Google ADK",
  source: null,
  marks: { llm: ["gcp.vertex.agent.llm_response"] },
  frameworks: ["gcp.vertex.agent"],
  requestedModel: [textInJson("gcp.vertex.agent.llm_request", "model")],
  responseModel: [textInJson("gcp.vertex.agent.llm_response", "model_version", "modelVersion")],
  finishReasons: [textInJson("gcp.vertex.agent.llm_response", "finish_reason", "finishReason")],
  inputMessages: [messagesIn("gcp.vertex.agent.llm_request", "user")],
  outputMessages: [messagesIn("gcp.vertex.agent.llm_response", "assistant")],
  toolArguments: [value("gcp.vertex.agent.tool_call_args")],
  toolResult: [value("gcp.vertex.agent.tool_response")],
  usageObjects: [["gcp.vertex.agent.llm_response", "usage_metadata"]],
  alsoSends: [],
  unread: {
    "gcp.vertex.agent.event_id": "how Google's ADK joins its own events",
    "gcp.vertex.agent.invocation_id": "how Google's ADK joins its own events",
  },
};
