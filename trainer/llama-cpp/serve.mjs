// Serves a GGUF file on loopback over OpenAI's chat completions, one answer at a time, streamed or whole.
//
// Usage: node serve.mjs CONFIG.json PORT
// Config: {model, token_file, served_model_name, identity, eos_token_ids, max_context, defaults: {temperature, top_p, top_k}}
// The file's own template renders the prompt from the unmodified messages; node-llama-cpp's chat wrappers would add a
// system prompt and rewrite roles that they do not know.
import { randomInt, randomUUID, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { Template } from "@huggingface/jinja";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { AnswerText } from "./answer-text.mjs";
import { chatRequest, Refusal } from "./chat-request.mjs";

const EXIT_PORT_TAKEN = 98;
const BODY_BYTES_MAX = 4 * 2 ** 20;
const WAITING_MAX = 64;
// llama.cpp's threads wait for each other by spinning. On busy cores a small model is 1000 times slower with two.
const SMALL_MODEL_BYTES = 100 * 2 ** 20;

const [configPath, port] = process.argv.slice(2);
const config = JSON.parse(readFileSync(configPath, "utf8"));
const expected = Buffer.from(`Bearer ${readFileSync(config.token_file, "utf8").trim()}`);
const created = Math.floor(Date.now() / 1000);
let engine = null;
let waiting = 0;
let last = Promise.resolve();

const server = createServer((request, response) => {
  serve(request, response).catch((error) => fail(response, error));
});
server.on("error", (error) => {
  console.error(String(error));
  process.exit(error.code === "EADDRINUSE" ? EXIT_PORT_TAKEN : 1);
});
process.on("SIGTERM", () => process.exit(0));
// Listens before loading the model, which takes long.
server.listen(Number(port), "127.0.0.1", async () => {
  engine = await load();
});

async function load() {
  const llama = await getLlama({ gpu: "auto", build: "never", logLevel: LlamaLogLevel.error, progressLogs: false });
  const model = await llama.loadModel({ modelPath: config.model });
  const small = statSync(config.model).size < SMALL_MODEL_BYTES;
  const limit = Math.min(config.max_context, model.trainContextSize);
  const context = await model.createContext({ contextSize: { max: limit }, ...(small ? { threads: 1 } : {}) });
  const source = model.fileInfo.metadata.tokenizer?.chat_template;
  if (!source) throw new Error("the file has no chat template");
  return {
    model,
    sequence: context.getSequence(),
    contextSize: context.contextSize,
    template: new Template(source),
    eos: new Set(config.eos_token_ids),
  };
}

async function serve(request, response) {
  const given = Buffer.from(request.headers.authorization ?? "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Refusal(401, "the token is wrong", "unauthorized");
  const { pathname } = new URL(request.url, "http://localhost");
  if (engine === null) throw new Refusal(503, "the model is being loaded", "loading");
  if (request.method === "GET" && pathname === "/health") return send(response, 200, { status: "ok" });
  if (request.method === "GET" && pathname === "/v1/models")
    return send(response, 200, { object: "list", data: [model()] });
  if (request.method === "POST" && pathname === "/v1/chat/completions") return complete(request, response);
  throw new Refusal(404, "there is no such route", "not_found");
}

function model() {
  return {
    id: config.served_model_name,
    object: "model",
    created,
    owned_by: "whetstone",
    root: config.identity,
    max_model_len: engine.contextSize,
  };
}

async function complete(request, response) {
  const asked = chatRequest(await bodyOf(request), config);
  const tokens = promptOf(asked);
  if (waiting > WAITING_MAX) throw new Refusal(503, "too many calls are waiting for this model", "queue_full");
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  waiting += 1;
  const turn = last.then(() => answer(asked, tokens, response, gone.signal));
  last = turn
    .catch(() => {})
    .finally(() => {
      waiting -= 1;
    });
  await turn;
}

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX)
      throw new Refusal(413, `a request may have at most ${BODY_BYTES_MAX} bytes`, "too_large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "the body is not JSON", "invalid_request");
  }
}

function promptOf({ messages, tools }) {
  const { model: llama, template, contextSize } = engine;
  const bos = llama.tokens.bosString ?? "";
  let text;
  try {
    text = template.render({
      messages,
      ...(tools ? { tools } : {}),
      add_generation_prompt: true,
      bos_token: bos,
      eos_token: llama.tokens.eosString ?? "",
    });
  } catch (error) {
    throw new Refusal(400, String(error.message ?? error), "invalid_messages", "messages");
  }
  const tokens = llama.tokenize(text, true);
  if (llama.tokens.shouldPrependBosToken && llama.tokens.bos !== null && tokens[0] !== llama.tokens.bos)
    tokens.unshift(llama.tokens.bos);
  if (tokens.length === 0)
    throw new Refusal(400, "the messages render to an empty prompt", "invalid_messages", "messages");
  if (tokens.length >= contextSize)
    throw new Refusal(
      400,
      `the prompt has ${tokens.length} tokens and the model's context ${contextSize}, so there is no room for an answer`,
      "context_length_exceeded",
      "messages",
    );
  return tokens;
}

async function answer(asked, tokens, response, gone) {
  if (gone.aborted) return;
  const reply = replyTo(asked, response);
  const room = engine.contextSize - tokens.length;
  const limit = Math.min(asked.maxTokens ?? room, room);
  const text = new AnswerText((tokens) => engine.model.detokenize(tokens), asked.stops);
  let count = 0;
  let ended = false;
  await engine.sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  const evaluated = engine.sequence.evaluate(tokens.slice(engine.sequence.nextTokenIndex), {
    temperature: asked.temperature,
    topK: config.defaults.top_k,
    topP: asked.topP,
    seed: asked.seed === null ? randomInt(2 ** 31) : Math.abs(Math.trunc(asked.seed)) % 2 ** 32,
    yieldEogToken: true,
  });
  for await (const token of evaluated) {
    if (gone.aborted) return;
    count += 1;
    ended = engine.eos.has(token) || engine.model.isEogToken(token);
    if (!ended) reply.part(text.push(token));
    if (ended || text.stopped || count >= limit) break;
  }
  reply.part(text.rest());
  reply.end(ended || text.stopped ? "stop" : "length", {
    prompt_tokens: tokens.length,
    completion_tokens: count,
    total_tokens: tokens.length + count,
  });
}

function replyTo(asked, response) {
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: config.served_model_name,
  };
  if (!asked.stream) {
    let content = "";
    return {
      part: (text) => {
        content += text;
      },
      end: (finish_reason, usage) => {
        const message = { role: "assistant", content, refusal: null };
        const choices = [{ index: 0, message, logprobs: null, finish_reason }];
        send(response, 200, { ...head, object: "chat.completion", choices, usage });
      },
    };
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  const write = (choices, usage) => {
    const more = asked.includeUsage ? { usage: usage ?? null } : {};
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`);
  };
  const chunk = (delta, finish_reason = null) => write([{ index: 0, delta, logprobs: null, finish_reason }]);
  chunk({ role: "assistant", content: "" });
  return {
    part: (text) => text && chunk({ content: text }),
    end: (finish_reason, usage) => {
      chunk({}, finish_reason);
      if (asked.includeUsage) write([], usage);
      response.end("data: [DONE]\n\n");
    },
  };
}

function fail(response, error) {
  const refusal =
    error instanceof Refusal ? error : new Refusal(500, `the model failed: ${error.message ?? error}`, "model_failed");
  if (!(error instanceof Refusal)) console.error(error);
  if (response.headersSent) response.end(`data: ${JSON.stringify(refusal.document)}\n\n`);
  else send(response, refusal.status, refusal.document);
}

function send(response, status, document) {
  const headers = { "content-type": "application/json", ...(status === 503 ? { "retry-after": "1" } : {}) };
  response.writeHead(status, headers).end(JSON.stringify(document));
}
