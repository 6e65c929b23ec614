import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import {
  jsonText,
  mapped,
  numberOf,
  objectIn,
  promptIn,
  type Reader,
  text,
  textInJson,
  value,
} from "../readers/reader";
import { tagsIn } from "../readers/tags";
import { TIER_KEYS } from "../usage/tier-keys";

const FINISH_KEYS = ["finish_reason", "finishReason", "stop_reason"];

export const LANGFUSE: Convention = {
  name: "Langfuse",
  source:
    "langfuse/langfuse-python, langfuse/_client/attributes.py at c3c6a09e, and langfuse/langfuse-js, packages/core/src/constants.ts at 0d5a8d0e",
  conversationId: [text("langfuse.session.id")],
  userId: [text("langfuse.user.id")],
  version: [text("langfuse.release")],
  prompt: [promptIn("langfuse.observation.prompt.name", "langfuse.observation.prompt.version")],
  labels: [tagsIn("langfuse.trace.tags")],
  spanType: [
    mapped("langfuse.observation.type", {
      generation: "llm",
      embedding: "embedding",
      tool: "tool",
      agent: "agent",
      chain: "chain",
      span: "chain",
      event: "other",
      retriever: "retriever",
      evaluator: "evaluator",
      guardrail: "guardrail",
    }),
  ],
  marks: { llm: ["langfuse.observation.model.name"] },
  // What LangChain says of a call is in its metadata.
  provider: [jsonText("langfuse.observation.metadata.ls_provider")],
  requestedModel: [jsonText("langfuse.observation.metadata.ls_model_name")],
  responseOrRequestedModel: [text("langfuse.observation.model.name")],
  finishReasons: [
    ...FINISH_KEYS.map((key) => jsonText(`langfuse.observation.metadata.${key}`)),
    textInJson("langfuse.observation.metadata", ...FINISH_KEYS),
  ],
  reportedCost: [costDetails("langfuse.observation.cost_details")],
  servedTier: [
    textInJson("langfuse.observation.metadata", ...TIER_KEYS),
    jsonText("langfuse.observation.metadata.service_tier"),
  ],
  requestedTier: [textInJson("langfuse.observation.model.parameters", ...TIER_KEYS)],
  inputs: [messagesIn("langfuse.observation.input", "user")],
  outputs: [messagesIn("langfuse.observation.output", "assistant")],
  fallback: {
    inputs: [messagesIn("langfuse.trace.input", "user")],
    outputs: [messagesIn("langfuse.trace.output", "assistant")],
  },
  toolCallId: [jsonText("langfuse.observation.metadata.tool_call_id")],
  toolArguments: [value("langfuse.observation.input")],
  toolResult: [value("langfuse.observation.output")],
  failed: [mapped("langfuse.observation.level", { error: true })],
  errorMessage: [text("langfuse.observation.status_message")],
  usageObjects: [["langfuse.observation.usage_details"]],
  shown: [
    "langfuse.observation.model.parameters",
    "langfuse.observation.model_parameters",
    "langfuse.trace.*",
    "langfuse.observation.metadata.*",
    "langfuse.internal.*",
    "langfuse.environment",
    "langfuse.version",
    "langfuse.observation.completion_start_time",
  ],
  alsoSends: [
    "user.id",
    "session.id",
    "langfuse.trace.name",
    "langfuse.trace.public",
    "langfuse.internal.as_root",
    "langfuse.internal.is_app_root",
    "langfuse.trace.metadata.*",
  ],
  unread: {
    "langfuse.experiment.*": "experiments are run on data sets, not by users",
  },
};

/** Reads an object of costs by bucket, with or without a total. */
function costDetails(name: string): Reader<number> {
  return {
    takes: [name],
    read: (attributes) => {
      const details = objectIn(attributes[name]);
      if (!details) return undefined;
      const total = numberOf(details.total);
      if (total !== undefined && total > 0) return total;
      const costs = Object.values(details)
        .map(numberOf)
        .filter((cost) => cost !== undefined);
      return costs.length > 0 ? costs.reduce((all, cost) => all + cost) : undefined;
    },
  };
}
