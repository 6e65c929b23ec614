import type { ServerResponse } from "node:http";

/** What a model says: `content` is its answer, `reasoning` its thoughts; `isCutOff` if it reached the maximum length. */
export type Said = { content: string; reasoning?: string; isCutOff?: boolean; usage?: object | null };

/** For tests: how a server differs from others that implement OpenAI's API, according to its documentation or source. */
export type Dialect = {
  name: string;
  /** What `GET /models` lists. */
  models: readonly object[];
  /** A name as people enter it, and what the server calls that model in a reply. */
  model: string;
  replyModel: string;
  /** Whether the server knows a model of this name. */
  knows: (model: string) => boolean;
  message: (said: Said) => object;
  usage: object | null;
  error: (status: number, message: string, type?: string) => unknown;
  /** Context size in tokens; `null` where a longer request is truncated without an error. */
  context: number | null;
  tooLong: (tokens: number, context: number, output: number) => { message: string; type?: string; more?: object };
  /** A transient error. */
  busy: { status: number; message: string; type?: string };
};

const flat = (status: number, message: string, type: string) => ({
  object: "error",
  message,
  type,
  param: null,
  code: status,
});

/** https://docs.ollama.com/api/openai-compatibility and `openai/openai.go`: no key, tags, `reasoning`, no error for a long request. */
const ollama: Dialect = {
  name: "Ollama",
  models: [{ id: "qwen3:latest", object: "model", created: 1_790_000_000, owned_by: "library" }],
  model: "qwen3",
  replyModel: "qwen3",
  knows: (model) => ["qwen3", "qwen3:latest"].includes(model),
  message: ({ content, reasoning }) => ({ role: "assistant", content, ...(reasoning && { reasoning }) }),
  usage: { prompt_tokens: 300, completion_tokens: 50, total_tokens: 350 },
  error: (status, message) => ({
    error: { message, type: status === 404 ? "not_found_error" : "api_error", param: null, code: null },
  }),
  context: null,
  tooLong: () => ({ message: "" }),
  busy: { status: 503, message: "server busy, please try again. maximum pending requests exceeded" },
};

/** `tools/server/README.md` of llama.cpp: any model name, `reasoning_content`, `exceed_context_size_error`, 503 while it loads. */
const llamaCpp: Dialect = {
  name: "llama.cpp",
  models: [
    { id: "../models/qwen3-8b-q4_k_m.gguf", object: "model", created: 1_790_000_000, owned_by: "llamacpp", meta: {} },
  ],
  model: "whatever",
  replyModel: "whatever",
  knows: () => true,
  message: ({ content, reasoning }) => ({
    role: "assistant",
    ...(reasoning && { reasoning_content: reasoning }),
    content,
  }),
  usage: { completion_tokens: 50, prompt_tokens: 300, total_tokens: 350, prompt_tokens_details: { cached_tokens: 0 } },
  error: (status, message, type = "invalid_request_error") => ({ error: { code: status, message, type } }),
  context: 4_096,
  tooLong: (tokens, context) => ({
    message: `request (${tokens} tokens) exceeds the available context size (${context} tokens), try increasing it`,
    type: "exceed_context_size_error",
    more: { n_prompt_tokens: tokens, n_ctx: context },
  }),
  busy: { status: 503, message: "Loading model", type: "unavailable_error" },
};

/** https://docs.vllm.ai, OpenAI-compatible server and reasoning outputs: exact names, `reasoning`, `content: null`. */
const vllm: Dialect = {
  name: "vLLM",
  models: [
    {
      id: "Qwen/Qwen3-8B",
      object: "model",
      created: 1_790_000_000,
      owned_by: "vllm",
      max_model_len: 4_096,
      permission: [],
    },
  ],
  model: "Qwen/Qwen3-8B",
  replyModel: "Qwen/Qwen3-8B",
  knows: (model) => model === "Qwen/Qwen3-8B",
  message: ({ content, reasoning, isCutOff }) => ({
    role: "assistant",
    // Reasoning that was cut off leaves no content at all.
    content: isCutOff && content === "" ? null : content,
    reasoning: reasoning ?? null,
    reasoning_content: reasoning ?? null,
    tool_calls: [],
    refusal: null,
  }),
  usage: { prompt_tokens: 300, total_tokens: 350, completion_tokens: 50, prompt_tokens_details: null },
  error: (status, message, type = "BadRequestError") => ({ error: flat(status, message, type) }),
  context: 4_096,
  tooLong: (tokens, context, output) => ({
    message: `'max_tokens' or 'max_completion_tokens' is too large: ${output}. This model's maximum context length is ${context} tokens and your request has ${tokens} input tokens (${output} > ${context} - ${tokens}).`,
  }),
  busy: { status: 503, message: "Server is overloaded" },
};

/** vLLM before 0.11: errors without an envelope, and a different message for a request that is too long. */
const earlierVllm: Dialect = {
  ...vllm,
  name: "vLLM before 0.11",
  error: flatError,
  tooLong: (tokens, context, output) => ({
    message: `This model's maximum context length is ${context} tokens. However, you requested ${tokens + output} tokens (${tokens} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
  }),
};

function flatError(status: number, message: string, type = "BadRequestError") {
  return flat(status, message, type);
}

export const DIALECTS: readonly Dialect[] = [ollama, llamaCpp, vllm, earlierVllm];

/** Estimates four characters per token, about what the servers' tokenizers produce for English. */
const tokensOf = (body: string) => Math.ceil(body.length / 4);

/** Responds to one request as a server of this dialect does. */
export function speak(dialect: Dialect, response: ServerResponse, body: string, said: () => Said) {
  const send = (status: number, value: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const {
    model,
    messages,
    max_tokens: output = 0,
  } = JSON.parse(body) as {
    model: string;
    messages: unknown;
    max_tokens?: number;
  };
  if (!dialect.knows(model))
    return send(404, dialect.error(404, `The model \`${model}\` does not exist.`, "NotFoundError"));
  const tokens = tokensOf(JSON.stringify(messages));
  const { context } = dialect;
  if (context !== null && tokens + output > context) {
    const { message, type, more } = dialect.tooLong(tokens, context, output);
    return send(400, more ? { error: { code: 400, message, type, ...more } } : dialect.error(400, message, type));
  }
  const one = said();
  return send(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: dialect.replyModel,
    choices: [{ index: 0, message: dialect.message(one), finish_reason: one.isCutOff ? "length" : "stop" }],
    ...(one.usage !== null && { usage: one.usage ?? dialect.usage }),
  });
}
