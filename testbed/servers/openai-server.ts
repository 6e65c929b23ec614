import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { LoopbackServer } from "./loopback-server";

/** What the published schema of the OpenAI API knows; anything else is refused, as OpenAI does. */
const text = z.string();
const metadata = z.record(z.string().max(64), z.string().max(512)).nullish();
const part = z.looseObject({ type: z.enum(["text", "image_url", "input_audio", "file", "refusal"]) });
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.union([text, z.array(part)]), name: text.optional() }),
  z.strictObject({ role: z.literal("developer"), content: z.union([text, z.array(part)]), name: text.optional() }),
  z.strictObject({ role: z.literal("user"), content: z.union([text, z.array(part)]), name: text.optional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([text, z.array(part)]).nullish(),
    refusal: text.nullish(),
    name: text.optional(),
    audio: z.unknown().optional(),
    annotations: z.unknown().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: text,
          type: z.literal("function"),
          function: z.strictObject({ name: text, arguments: text }),
        }),
      )
      .optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: text, content: z.union([text, z.array(part)]) }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: text,
    description: text.optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});
const ofSampling = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: text.optional(),
  safety_identifier: text.optional(),
  service_tier: text.nullish(),
  store: z.boolean().nullish(),
  metadata,
  parallel_tool_calls: z.boolean().optional(),
};
const chat = z
  .strictObject({
    ...ofSampling,
    model: text,
    messages: z.array(message).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
    n: z.int().min(1).nullish(),
    seed: z.int().nullish(),
    stop: z.unknown().optional(),
    max_tokens: z.int().nullish(),
    max_completion_tokens: z.int().nullish(),
    tools: z.array(tool).optional(),
    tool_choice: z.unknown().optional(),
    response_format: z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }).optional(),
  })
  .refine(({ stream, stream_options }) => stream || !stream_options, {
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  });
const responses = z.strictObject({
  ...ofSampling,
  model: text,
  input: z.union([text, z.array(z.looseObject({}))]),
  instructions: text.nullish(),
  stream: z.boolean().nullish(),
  include: z.array(text).nullish(),
  previous_response_id: text.nullish(),
  max_output_tokens: z.int().nullish(),
  tools: z.array(z.looseObject({ type: text })).optional(),
  tool_choice: z.unknown().optional(),
  text: z.looseObject({}).optional(),
  reasoning: z.looseObject({}).nullish(),
  truncation: text.nullish(),
});
const embeddings = z.strictObject({
  model: text,
  input: z.union([text, z.array(text), z.array(z.int()), z.array(z.array(z.int()))]),
  encoding_format: z.enum(["float", "base64"]).optional(),
  dimensions: z.int().optional(),
  user: text.optional(),
});

export type ReceivedCall = { path: string; headers: IncomingMessage["headers"]; text: string };

const DATED = "-2024-08-06";
export const OPENAI_KEY = "sk-fake-0123456789abcdefghijklmnop";

const refuse = (response: ServerResponse, status: number, message: string, more: object = {}, headers: object = {}) =>
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null, ...more } }));

/** A server of the OpenAI API on loopback, which validates what it receives. */
export class OpenAiServer extends LoopbackServer {
  readonly received: ReceivedCall[] = [];
  words = ["Sunny ", "hello ", "world"];
  usage: Record<string, unknown> = {
    prompt_tokens: 1_000,
    completion_tokens: 100,
    total_tokens: 1_100,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  /** Between two events. */
  delayMs = 0;
  /** Sends streams up to their first word, and the rest after `release`. */
  isHeld = false;
  release = () => {};
  /** Ends the connection without an end after so many words. */
  breaksAfter: number | null = null;
  /** Ends streams with an error before any content, after they have begun. */
  failsAtOnce = false;
  /** As some vendors do. */
  refusesStreamOptions = false;
  /** Never replies. */
  isSilent = false;
  /** Replies so to each call. */
  refusal: { status: number; message: string; headers?: object; more?: object } | null = null;
  /** Calls that ended before their answer. */
  cancelled = 0;
  private count = 0;

  constructor() {
    super("/v1");
  }

  /** Forgets what was received and set. */
  reset() {
    this.received.length = 0;
    const words = ["Sunny ", "hello ", "world"];
    Object.assign(this, {
      words,
      delayMs: 0,
      isHeld: false,
      release: () => {},
      breaksAfter: null,
      refusal: null,
      failsAtOnce: false,
      refusesStreamOptions: false,
      isSilent: false,
      cancelled: 0,
    });
  }

  protected override async handle(request: IncomingMessage, response: ServerResponse) {
    const given = (await buffer(request)).toString("utf8");
    const path = (request.url ?? "").replace(/^\/v1/, "");
    this.received.push({ path, headers: request.headers, text: given });
    response.once("close", () => {
      if (!response.writableFinished) this.cancelled++;
    });
    if (request.headers.authorization !== `Bearer ${OPENAI_KEY}`) {
      return refuse(response, 401, `Incorrect API key provided: ${request.headers.authorization}.`);
    }
    if (this.isSilent) return;
    if (this.refusal) {
      const { status, message, more, headers } = this.refusal;
      return refuse(response, status, message, more, headers);
    }
    if (path === "/models") {
      const data = ["gpt-4o", "text-embedding-3-small"].map((id) => ({
        id,
        object: "model",
        created: 1,
        owned_by: "openai",
      }));
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ object: "list", data }));
    }
    const routes = { "/chat/completions": chat, "/responses": responses, "/embeddings": embeddings };
    const schema = routes[path as keyof typeof routes];
    if (!schema) return refuse(response, 404, `Unknown request URL: ${path}`);
    const parsed = schema.safeParse(JSON.parse(given));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refuse(response, 400, issue?.message ?? "", { param: issue?.path.join(".") ?? null });
    }
    const asked = JSON.parse(given);
    if (asked.model === "no-such-model") {
      return refuse(response, 404, "The model `no-such-model` does not exist.", { code: "model_not_found" });
    }
    if (this.refusesStreamOptions && asked.stream_options) {
      return refuse(response, 400, "Extra inputs are not permitted: stream_options");
    }
    if (path === "/embeddings") return this.embed(asked, response);
    const events = path === "/responses" ? this.response(asked) : this.completion(asked);
    if (asked.stream) return this.stream(events, response);
    const whole = events.at(-1) as { whole: object };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole.whole));
  }

  private embed(asked: { model: string; encoding_format?: string }, response: ServerResponse) {
    const vector = [0.25, -0.5];
    const embedding =
      asked.encoding_format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
    const usage = { prompt_tokens: 8, total_tokens: 8 };
    const data = [{ object: "embedding", index: 0, embedding }];
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ object: "list", data, model: asked.model, usage }));
  }

  private async stream(events: readonly Event[], response: ServerResponse) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    let words = 0;
    for (const event of events) {
      if (this.breaksAfter !== null && event.isWord && words++ === this.breaksAfter) return void response.destroy();
      if (this.failsAtOnce && (event.isWord || event.text?.includes("output_item.added"))) {
        const error = { message: "You exceeded your current quota.", code: "insufficient_quota" };
        const told = event.text?.startsWith("event:") ? { type: "error", ...error } : {};
        return void response.end(`data: ${JSON.stringify({ ...told, error })}\n\n`);
      }
      if (event.text !== undefined) response.write(event.text);
      if (this.isHeld && event.isWord && words++ === 0) await this.hold(response);
      if (this.delayMs > 0) await wait(this.delayMs);
      if (response.destroyed) return;
    }
    response.end();
  }

  /** Resolves when it is released, or its client has left. */
  private hold(response: ServerResponse) {
    return new Promise<void>((resolve) => {
      this.release = resolve;
      response.once("close", resolve);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: validated above
  private completion(asked: any): Event[] {
    const base = {
      id: `chatcmpl-${++this.count}`,
      created: 1,
      model: `${asked.model}${DATED}`,
      system_fingerprint: "fp_1",
    };
    const { usage } = this;
    const [first] = asked.tools ?? [];
    const call = first && {
      id: `call_${this.count}`,
      type: "function",
      function: { name: first.function.name, arguments: '{"city": "Ulm"}' },
    };
    const isCall = call !== undefined && asked.messages.at(-1).role === "user";
    const said = { role: "assistant", content: isCall ? null : this.words.join(""), refusal: null };
    const finish_reason = isCall ? "tool_calls" : "stop";
    const chunk = (delta: object, more: object = {}) => ({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
      ...(asked.stream_options?.include_usage ? { usage: null } : {}),
    });
    const text = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
    const pieces: Event[] = isCall
      ? [{ text: text(chunk({ tool_calls: [{ index: 0, ...call }] })), isWord: true }]
      : this.words.map((content) => ({ text: text(chunk({ content })), isWord: true }));
    const message = isCall ? { ...said, tool_calls: [call] } : said;
    return [
      { text: text(chunk({ role: "assistant", content: isCall ? null : "", refusal: null })) },
      ...pieces,
      { text: text(chunk({}, { finish_reason })) },
      ...(asked.stream_options?.include_usage
        ? [{ text: text({ ...base, object: "chat.completion.chunk", choices: [], usage }) }]
        : []),
      { text: "data: [DONE]\n\n" },
      {
        whole: {
          ...base,
          object: "chat.completion",
          choices: [{ index: 0, message, logprobs: null, finish_reason }],
          usage,
          service_tier: "default",
        },
      },
    ];
  }

  // biome-ignore lint/suspicious/noExplicitAny: validated above
  private response(asked: any): Event[] {
    const id = `resp_${++this.count}`;
    const [first] = asked.tools ?? [];
    const isCall =
      first !== undefined &&
      Array.isArray(asked.input) &&
      !asked.input.some((one: { type?: string }) => one.type === "function_call_output");
    const content = [{ type: "output_text", text: this.words.join(""), annotations: [], logprobs: [] }];
    const item = isCall
      ? {
          id: `fc_${this.count}`,
          type: "function_call",
          status: "completed",
          call_id: `call_${this.count}`,
          name: first.name,
          arguments: '{"city":"Ulm"}',
        }
      : { id: `msg_${this.count}`, type: "message", status: "completed", role: "assistant", content };
    const base = {
      id,
      object: "response",
      created_at: 1,
      error: null,
      incomplete_details: null,
      instructions: asked.instructions ?? null,
      metadata: {},
      model: `${asked.model}${DATED}`,
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: "auto",
      tools: asked.tools ?? [],
      top_p: 1,
      service_tier: "default",
    };
    const usage = {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 1_100,
    };
    const whole = { ...base, status: "completed", output: [item], usage };
    const begun = { ...base, status: "in_progress", output: [], usage: null };
    let sequence = 0;
    const event = (type: string, more: object): Event => ({
      text: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`,
    });
    const at = { item_id: item.id, output_index: 0, content_index: 0 };
    const [part] = content;
    const said = isCall
      ? [
          event("response.function_call_arguments.delta", {
            item_id: item.id,
            output_index: 0,
            delta: '{"city":"Ulm"}',
          }),
          event("response.function_call_arguments.done", {
            item_id: item.id,
            output_index: 0,
            name: first.name,
            arguments: '{"city":"Ulm"}',
          }),
        ]
      : [
          event("response.content_part.added", { ...at, part: { ...part, text: "" } }),
          ...this.words.map((delta) => ({
            ...event("response.output_text.delta", { ...at, delta, logprobs: [] }),
            isWord: true,
          })),
          event("response.output_text.done", { ...at, text: this.words.join(""), logprobs: [] }),
          event("response.content_part.done", { ...at, part }),
        ];
    return [
      event("response.created", { response: begun }),
      event("response.in_progress", { response: begun }),
      event("response.output_item.added", {
        output_index: 0,
        item: isCall ? { ...item, arguments: "" } : { ...item, status: "in_progress", content: [] },
      }),
      ...said,
      event("response.output_item.done", { output_index: 0, item }),
      event("response.completed", { response: whole }),
      { whole },
    ];
  }
}

type Event = { text?: string; whole?: object; isWord?: boolean };
