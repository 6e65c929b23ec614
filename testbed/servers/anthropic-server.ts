import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { LoopbackServer } from "./loopback-server";

/**
 * What the types of `@anthropic-ai/sdk` 1.14.0 (`resources/messages/messages.d.ts`, `MessageCreateParamsBase`) know of requests
 * without hosted tools; anything else is refused, as Anthropic does.
 */
const text = z.string();
const filled = text.regex(/\S/, "text content blocks must contain non-whitespace text");
const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
const textBlock = z.strictObject({
  type: z.literal("text"),
  text: filled,
  cache_control: cacheControl,
  citations: z.array(z.looseObject({})).nullish(),
});
const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.base64(),
    }),
    z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
  ]),
  cache_control: cacheControl,
});
const documentBlock = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: z.base64() }),
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: text }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
  ]),
  title: text.nullish(),
  context: text.nullish(),
  citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
});
const resultBlock = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: text.regex(/^[\w-]+$/),
  content: z.union([text, z.array(z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const useBlock = z.strictObject({
  type: z.literal("tool_use"),
  id: text.regex(/^[\w-]+$/),
  name: text.regex(/^[\w-]{1,128}$/),
  input: z.record(text, z.unknown()),
  cache_control: cacheControl,
});
const thinkingBlock = z.strictObject({ type: z.literal("thinking"), thinking: text, signature: text });
const redactedBlock = z.strictObject({ type: z.literal("redacted_thinking"), data: text });
const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([
      filled,
      z.array(z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock, resultBlock])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([
      filled,
      z.array(z.discriminatedUnion("type", [textBlock, useBlock, thinkingBlock, redactedBlock])).min(1),
    ]),
  }),
]);
const tool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: text.regex(/^[\w-]{1,128}$/),
  description: text.optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: cacheControl,
});
const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const request = z.strictObject({
  model: text.min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([text, z.array(textBlock)]).optional(),
  metadata: z.strictObject({ user_id: text.max(256).nullish() }).optional(),
  stop_sequences: z.array(filled).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal("adaptive"), display: z.enum(["summarized", "omitted"]).nullish() }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("auto"), ...parallel }),
      z.strictObject({ type: z.literal("any"), ...parallel }),
      z.strictObject({ type: z.literal("tool"), name: text, ...parallel }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  tools: z.array(tool).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: z.strictObject({ type: z.literal("json_schema"), schema: z.record(text, z.unknown()) }).nullish(),
    })
    .optional(),
});
type Request = z.infer<typeof request>;
type Block = { type: string; id?: string; tool_use_id?: string; signature?: string; cache_control?: unknown };

/** By https://docs.claude.com/en/docs/about-claude/models: the most tokens of an answer, and the dated name. */
const MODELS: Readonly<Record<string, { dated: string; output: number; thinks: boolean }>> = {
  "claude-sonnet-4-5": { dated: "claude-sonnet-4-5-20250929", output: 64_000, thinks: true },
  "claude-3-haiku-20240307": { dated: "claude-3-haiku-20240307", output: 4_096, thinks: false },
  "claude-nova-9": { dated: "claude-nova-9", output: 128_000, thinks: false },
};

const blocksOf = ({ content }: Request["messages"][number]): Block[] =>
  typeof content === "string" ? [{ type: "text" }] : content;
const idsIn = (blocks: readonly Block[], type: string) =>
  blocks.flatMap((block) => (block.type === type ? [block.id ?? block.tool_use_id ?? ""] : []));

/** Consecutive turns of one role are one turn. */
function turnsOf(messages: Request["messages"]) {
  const turns: { role: string; blocks: Block[] }[] = [];
  for (const one of messages) {
    const last = turns.at(-1);
    if (last?.role === one.role) last.blocks.push(...blocksOf(one));
    else turns.push({ role: one.role, blocks: [...blocksOf(one)] });
  }
  return turns;
}

/** Returns why the service refuses a request whose fields are all known; `null` if it does not. */
function problemOf(asked: Request, signatures: ReadonlySet<string>): string | null {
  const { model, messages, max_tokens: limit, thinking, tools = [], tool_choice: choice } = asked;
  const known = MODELS[model];
  const turns = turnsOf(messages);
  if (known && limit > known.output) {
    return `max_tokens: ${limit} > ${known.output}, which is the maximum allowed number of output tokens for ${model}`;
  }
  if (turns[0]?.role !== "user") return 'messages: first message must use the "user" role';
  for (const [at, { role, blocks }] of turns.entries()) {
    const uses = role === "assistant" ? idsIn(blocks, "tool_use") : [];
    const next = turns[at + 1]?.blocks ?? [];
    const missing = uses.find((id) => !idsIn(next, "tool_result").includes(id));
    if (missing !== undefined) {
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const before = idsIn(turns[at - 1]?.blocks ?? [], "tool_use");
    const unexpected = idsIn(blocks, "tool_result").find((id) => !before.includes(id));
    if (unexpected !== undefined) {
      return `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
    if (firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === "tool_result")) {
      return `messages.${at}: \`tool_result\` blocks must come first in a message.`;
    }
    const forged = blocks.find(({ signature }) => signature !== undefined && !signatures.has(signature));
    if (forged) return `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`;
  }
  const breakpoints = [
    ...turns.flatMap(({ blocks }) => blocks),
    ...tools,
    ...(Array.isArray(asked.system) ? asked.system : []),
  ];
  if (breakpoints.filter((one) => one.cache_control).length > 4) {
    return "A maximum of 4 blocks with cache_control may be provided.";
  }
  if (asked.temperature !== undefined && asked.top_p !== undefined) {
    return "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
  }
  if (choice && choice.type !== "none" && tools.length === 0)
    return "tool_choice may only be specified while providing tools.";
  if (choice?.type === "tool" && !tools.some(({ name }) => name === choice.name)) {
    return `Tool '${choice.name}' not found in provided tools`;
  }
  const format = asked.output_config?.format?.schema;
  if (format?.type === "object" && format.additionalProperties !== false) {
    return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  if (thinking?.type !== "enabled") return null;
  if (thinking.budget_tokens >= limit) return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  if (asked.temperature !== undefined && asked.temperature !== 1)
    return "`temperature` may only be set to 1 when thinking is enabled.";
  if (choice && (choice.type === "any" || choice.type === "tool"))
    return "Thinking may not be enabled when tool_choice forces tool use.";
  const last = turns.findLast(({ role }) => role === "assistant");
  const isLoop =
    last &&
    idsIn(last.blocks, "tool_use").length > 0 &&
    turns.at(-1)?.blocks.every(({ type }) => type === "tool_result");
  return isLoop && !/thinking/.test(last.blocks[0]?.type ?? "")
    ? "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
    : null;
}

export const ANTHROPIC_KEY = "sk-ant-fake-0123456789abcdefghijklmnop";

const REFUSALS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

const DEFAULTS = () => ({
  words: ["Sunny ", "hello ", "world"],
  delayMs: 0,
  isHeld: false,
  release: () => {},
  breaksAfter: null as number | null,
  isSilent: false,
  failsAtOnce: false,
  stopReason: null as string | null,
  refusal: null as { status: number; message: string; headers?: Record<string, string> } | null,
  cancelled: 0,
});

/** A server of Anthropic's Messages API on loopback, which validates what it receives. */
export class AnthropicServer extends LoopbackServer {
  readonly received: { path: string; headers: IncomingMessage["headers"]; body: Request }[] = [];
  words: string[] = DEFAULTS().words;
  /** Between two events. */
  delayMs = 0;
  /** Sends streams up to their first word, and the rest after `release`. */
  isHeld = false;
  release = () => {};
  /** Ends the connection without an end after so many words. */
  breaksAfter: number | null = null;
  /** Ends streams with an error after their first word. */
  failsAtOnce = false;
  /** Why answers end; `null`: because they are done, or call tools. */
  stopReason: string | null = null;
  /** Never replies. */
  isSilent = false;
  /** Replies so to each call. */
  refusal: { status: number; message: string; headers?: Record<string, string> } | null = null;
  /** Calls that ended before their answer. */
  cancelled = 0;
  usage = {
    input_tokens: 600,
    output_tokens: 100,
    cache_read_input_tokens: 400,
    cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    service_tier: "standard",
    server_tool_use: null,
    inference_geo: null,
  };
  private count = 0;
  private readonly signatures = new Set<string>();

  constructor() {
    super("/v1");
  }

  /** Forgets what was received and set. */
  reset() {
    this.received.length = 0;
    Object.assign(this, DEFAULTS());
  }

  private refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) {
    const error = { type: REFUSALS[status] ?? "api_error", message };
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ type: "error", error, request_id: `req_${++this.count}` }));
  }

  protected override async handle(incoming: IncomingMessage, response: ServerResponse) {
    const given = (await buffer(incoming)).toString("utf8");
    const url = new URL(incoming.url ?? "/", this.url);
    response.once("close", () => {
      if (!response.writableFinished) this.cancelled++;
    });
    if (incoming.headers["x-api-key"] !== ANTHROPIC_KEY) return this.refuse(response, 401, "invalid x-api-key");
    if (incoming.headers["anthropic-version"] !== "2023-06-01") {
      return this.refuse(response, 400, "anthropic-version: header is required");
    }
    if (url.pathname === "/v1/models" && incoming.method === "GET") return this.list(response);
    if (url.pathname !== "/v1/messages" || incoming.method !== "POST") return this.refuse(response, 404, "Not Found");
    this.received.push({ path: url.pathname, headers: incoming.headers, body: JSON.parse(given) });
    if (this.isSilent) return;
    if (this.refusal) return this.refuse(response, this.refusal.status, this.refusal.message, this.refusal.headers);
    const { data: asked, error } = request.safeParse(JSON.parse(given));
    if (!asked) {
      const [issue] = error.issues;
      const extra = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
      const path = [...(issue?.path ?? []), ...(extra === undefined ? [] : [extra])].map(String).join(".");
      return this.refuse(response, 400, `${path}: ${extra ? "Extra inputs are not permitted" : issue?.message}`);
    }
    if (!Object.hasOwn(MODELS, asked.model)) return this.refuse(response, 404, `model: ${asked.model}`);
    const problem = problemOf(asked, this.signatures);
    if (problem !== null) return this.refuse(response, 400, problem);
    const content = this.contentOf(asked);
    const stop_reason = this.stopReason ?? (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");
    const whole = {
      id: `msg_${++this.count}`,
      type: "message",
      role: "assistant",
      model: MODELS[asked.model]?.dated,
      content,
      stop_reason,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: this.usage,
    };
    if (asked.stream) return this.stream(whole, response);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
  }

  private list(response: ServerResponse) {
    const data = Object.keys(MODELS).map((id) => ({
      type: "model",
      id,
      display_name: id,
      created_at: "2025-09-29T00:00:00Z",
    }));
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id }));
  }

  /** The first tool is called once for each question, and with it the second if both may be called. */
  private contentOf(asked: Request): Content[] {
    const thoughts: Content[] = [];
    if (asked.thinking && asked.thinking.type !== "disabled") {
      const signature = `sig-${++this.count}`;
      this.signatures.add(signature);
      thoughts.push({ type: "thinking", thinking: "They want the weather.", signature });
    }
    const last = asked.messages.at(-1);
    const isAnswered = last && blocksOf(last).some(({ type }) => type === "tool_result");
    const isCall = asked.tools && asked.tool_choice?.type !== "none" && !isAnswered;
    if (!isCall) return [...thoughts, { type: "text", text: this.words.join("") }];
    const choice = asked.tool_choice;
    const [first, second] = asked.tools ?? [];
    const name = choice?.type === "tool" ? choice.name : first?.name;
    const isSingle = choice && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use;
    const input = name === "json" ? { city: "Ulm" } : { city: "Ulm", days: 2 };
    const calls = [name, ...(second && !choice?.type.match(/tool|any/) && !isSingle ? [second.name] : [])];
    return [
      ...thoughts,
      ...calls.map((called) => ({
        type: "tool_use" as const,
        id: `toolu_${++this.count}`,
        name: called ?? "",
        input: called === name ? input : {},
      })),
    ];
  }

  private async stream({ content, stop_reason, usage, ...message }: Whole, response: ServerResponse) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = async (type: string, more: object) => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
      if (this.delayMs > 0) await wait(this.delayMs);
    };
    const started = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    await send("message_start", { message: started });
    await send("ping", {});
    let words = 0;
    for (const [index, block] of content.entries()) {
      await send("content_block_start", { index, content_block: opened(block) });
      for (const delta of this.deltasOf(block)) {
        if (this.breaksAfter !== null && words++ === this.breaksAfter) return void response.destroy();
        await send("content_block_delta", { index, delta });
        if (this.failsAtOnce) {
          await send("error", { error: { type: "overloaded_error", message: "Overloaded" } });
          return void response.end();
        }
        if (this.isHeld) await this.hold(response);
        if (response.destroyed) return;
      }
      await send("content_block_stop", { index });
    }
    const { output_tokens } = usage;
    // Cumulative, as all counts are.
    const counts = { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 300, output_tokens };
    await send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: counts });
    await send("message_stop", {});
    response.end();
  }

  private deltasOf(block: Content): object[] {
    if (block.type === "text") return this.words.map((text) => ({ type: "text_delta", text }));
    if (block.type === "thinking") {
      return [
        { type: "thinking_delta", thinking: block.thinking },
        { type: "signature_delta", signature: block.signature },
      ];
    }
    const json = JSON.stringify(block.input);
    const pieces = json === "{}" ? [] : ["", json.slice(0, 5), json.slice(5)];
    return pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }

  /** Resolves when it is released, or its client has left. */
  private hold(response: ServerResponse) {
    return new Promise<void>((resolve) => {
      this.release = () => {
        this.isHeld = false;
        resolve();
      };
      response.once("close", resolve);
    });
  }
}

type Content =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: object };
type Whole = { content: Content[]; stop_reason: string; usage: AnthropicServer["usage"]; id: string };

function opened(block: Content): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}
