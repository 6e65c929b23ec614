import type { SpanType } from "../../schemas";
import { firstOf, mapped, present, type Reader } from "./reader";
import type { SpanView } from "./span-view";

/** LiteLLM's copy of the raw request, a child of the call that it copies. */
const WIRE_COPIES = new Set(["raw_gen_ai_request"]);

/** Attributes that state a span's type, in order of trust. */
export const SPAN_TYPE: readonly Reader<SpanType>[] = [
  // LangSmith, which calls prompts `chat` and retrievers `embeddings` under OpenTelemetry's name
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
  mapped("gen_ai.operation.name", {
    chat: "llm",
    text_completion: "llm",
    generate_content: "llm",
    completion: "llm",
    responses: "llm",
    llm_call: "llm", // Gemini CLI
    generate_text: "llm", // Sentry, of the AI SDK
    stream_text: "llm",
    generate_object: "llm",
    stream_object: "llm",
    embed: "embedding",
    embed_many: "embedding",
    embeddings: "embedding",
    embedding: "embedding",
    execute_tool: "tool",
    tool_call: "tool",
    invoke_agent: "agent",
    create_agent: "agent",
    invoke_workflow: "chain",
    execute_event_loop_cycle: "chain", // Strands
    retrieval: "retriever",
    rerank: "reranker",
  }),
  mapped("openinference.span.kind", {
    llm: "llm",
    embedding: "embedding",
    tool: "tool",
    agent: "agent",
    chain: "chain",
    retriever: "retriever",
    reranker: "reranker",
    guardrail: "guardrail",
    evaluator: "evaluator",
    prompt: "other",
    unknown: "other",
  }),
  mapped("ai.operationId", {
    "ai.generatetext.dogenerate": "llm",
    "ai.streamtext.dostream": "llm",
    "ai.generateobject.dogenerate": "llm",
    "ai.streamobject.dostream": "llm",
    "ai.embed.doembed": "embedding",
    "ai.embedmany.doembed": "embedding",
    "ai.rerank.dorerank": "reranker",
    "ai.toolcall": "tool",
    "ai.generatetext": "agent",
    "ai.streamtext": "agent",
    "ai.generateobject": "agent",
    "ai.streamobject": "agent",
    "ai.embed": "chain",
    "ai.embedmany": "chain",
    "ai.rerank": "chain",
  }),
  mapped("traceloop.span.kind", { workflow: "chain", task: "chain", agent: "agent", tool: "tool" }),
  mapped("llm.request.type", {
    chat: "llm",
    completion: "llm",
    embedding: "embedding",
    rerank: "reranker",
    tool: "tool",
    agent: "agent",
    workflow: "chain",
  }),
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
  mapped("lmnr.span.type", { llm: "llm", tool: "tool", default: "chain", executor: "chain", evaluator: "evaluator" }),
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
  mapped("genkit:metadata:subtype", {
    model: "llm",
    embedder: "embedding",
    tool: "tool",
    flow: "chain",
    retriever: "retriever",
    reranker: "reranker",
    evaluator: "evaluator",
  }),
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
  mapped("span.type", { llm_request: "llm", tool: "tool", interaction: "agent" }), // Claude Code
  present("event_loop.cycle_id", "chain"), // Strands before it named its operations
];

/** Attributes that only spans of one type have, for clients that send no type. */
export const SPAN_TYPE_EVIDENCE: readonly Reader<SpanType>[] = [
  present("pydantic_ai.all_messages", "agent"),
  present("all_messages_events", "agent"),
  present("gen_ai.tool.name", "tool"),
  present("lk.function_tool.name", "tool"),
  present("gen_ai.tool.call.id", "tool"),
  present("gen_ai.response.model", "llm"),
  present("gen_ai.request.model", "llm"),
  present("gen_ai.usage.input_tokens", "llm"),
  present("gen_ai.usage.output_tokens", "llm"),
  present("gen_ai.usage.prompt_tokens", "llm"),
  present("llm.token_count.prompt", "llm"),
  present("llm.token_count.completion", "llm"),
  present("llm.model_name", "llm"),
  present("gcp.vertex.agent.llm_response", "llm"),
  present("langfuse.observation.model.name", "llm"),
];

/** Returns the type of a span. Events are considered last: a choice event indicates a model's output. */
export function resolveSpanType(view: SpanView): SpanType {
  if (WIRE_COPIES.has(view.span.name)) return "other";
  return (
    firstOf(SPAN_TYPE, view.attributes) ??
    firstOf(SPAN_TYPE_EVIDENCE, view.attributes) ??
    (view.events.some((event) => event.name === "gen_ai.choice") ? "llm" : "other")
  );
}
