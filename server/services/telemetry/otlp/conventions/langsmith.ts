import type { Convention } from "../convention";
import { mapped, promptIn, text } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LANGSMITH: Convention = {
  name: "LangSmith (OpenTelemetry exporters of its Python and JavaScript SDKs)",
  source:
    "langchain-ai/langsmith-sdk, python/langsmith/_internal/otel/_otel_exporter.py and js/src/experimental/otel at bc8dd672",
  // Its `langsmith.trace.session_id` is the id of a project.
  conversationId: ["thread_id", "session_id", "conversation_id"].map((name) => text(`langsmith.metadata.${name}`)),
  userId: [text("langsmith.metadata.user_id")],
  prompt: [promptIn("langsmith.metadata.lc_hub_repo", "langsmith.metadata.lc_hub_commit_hash")],
  labels: [tagsIn("langsmith.span.tags")],
  ownTags: /^langsmith:/i,
  // Under OpenTelemetry's name, prompts are `chat` and retrievers `embeddings`.
  spanType: [
    mapped("langsmith.span.kind", {
      llm: "llm",
      embedding: "embedding",
      tool: "tool",
      agent: "agent",
      chain: "chain",
      retriever: "retriever",
      prompt: "other",
      parser: "other",
    }),
  ],
  // LangChain's details of input and output, as JSON beside the figures.
  usageDetails: [
    ["gen_ai.usage.input_token_details", "input_token_details"],
    ["gen_ai.usage.output_token_details", "output_token_details"],
    ["langsmith.metadata.usage_metadata.input_token_details", "input_token_details"],
    ["langsmith.metadata.usage_metadata.output_token_details", "output_token_details"],
  ],
  alsoSends: [
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.total_tokens",
    "gen_ai.request.max_tokens",
    "gen_ai.request.temperature",
    "gen_ai.request.top_p",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.extra_query",
    "gen_ai.request.extra_body",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.service_tier",
    "gen_ai.prompt",
    "gen_ai.completion",
  ],
  unread: {
    "gen_ai.response.system_fingerprint": "nothing here depends on it",
    "gen_ai.serialized.name": "the name of a class",
    "gen_ai.serialized.signature": "the signature of a function",
    "gen_ai.serialized.doc": "the documentation of a function",
    "langsmith.span.id": "the span has its own id",
    "langsmith.span.parent_id": "the span has its parent's id",
    "langsmith.span.dotted_order": "the order follows from times and parents",
    "langsmith.span.runtime": "the machine that ran it",
    "langsmith.trace.id": "the span has its trace's id",
    "langsmith.trace.name": "the span has its own name",
    "langsmith.trace.session_id": "the id of a project of LangSmith",
    "langsmith.trace.session_name": "the name of a project of LangSmith",
    "langsmith.usage_metadata": "sent as `gen_ai.usage.*` too",
    "langsmith.reference_example_id": "examples of a data set of LangSmith",
    "langsmith.traceable*": "how the SDK joins its own spans",
    "langsmith.is_root": "the span has its parent's id",
    "langsmith.request.streaming": "nothing here depends on it",
    "langsmith.request.headers": "may carry credentials",
    "langsmith.metadata.*": "free-form; ids of threads and users are read",
  },
};
