// Generates tokens with a GGUF file for whetstone_trainer/serving/llama_cpp.py, one answer at a time. Everything that
// is text (template, tokens, tool calls, OpenAI's documents) is done there, as for any other model.
//
// Usage: node serve.mjs CONFIG.json, with requests and replies as JSON lines on standard input and output
// Config:   {model, eos_token_ids, max_context}
// First:    {ready: true, context_size}
// Requests: {id, tokens, max_tokens, temperature, top_k, top_p, seed, checked}; {id, stop: true};
//           after each token of a checked answer {id, accept: true}, or {id, allowed: [ids]} to have it sampled again
// Replies:  {id, token, ends}; {id, done: true}; {id, error}
import { readFileSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { getLlama, LlamaLogLevel, TokenBias } from "node-llama-cpp";

// llama.cpp's threads wait for each other by spinning. On busy cores a small model is 1000 times slower with two.
const SMALL_MODEL_BYTES = 100 * 2 ** 20;
// Added to the logit of allowed tokens. Tokens that end an answer cannot be forbidden, only outweighed.
const OUTWEIGHS = 100;

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const eos = new Set(config.eos_token_ids);
/** The answer in progress: whether it must stop, and who waits for the verdict on its token. */
let current = { id: null, isStopped: false, judge: null };

const lines = createInterface({ input: process.stdin });
// The caller holds our standard input open: when it is killed, the pipe closes and this process must not linger.
lines.on("close", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

const llama = await getLlama({
  gpu: "auto",
  build: "never",
  logLevel: LlamaLogLevel.error,
  logger: (_, message) => console.error(message),
  progressLogs: false,
});
const model = await llama.loadModel({ modelPath: config.model });
const small = statSync(config.model).size < SMALL_MODEL_BYTES;
const context = await model.createContext({
  contextSize: { max: Math.min(config.max_context, model.trainContextSize) },
  ...(small ? { threads: 1 } : {}),
});
const sequence = context.getSequence();

let last = Promise.resolve();
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.tokens !== undefined) last = last.then(() => answer(message));
  else if (message.id === current.id && message.stop) stop();
  else if (message.id === current.id) current.judge?.(message);
});
send({ ready: true, context_size: context.contextSize });

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function stop() {
  current.isStopped = true;
  current.judge?.({});
}

async function answer(request) {
  current = { id: request.id, isStopped: false, judge: null };
  try {
    await generate(request);
    send({ id: request.id, done: true });
  } catch (error) {
    console.error(error);
    send({ id: request.id, error: String(error.message ?? error) });
  }
}

async function generate({ id, tokens, max_tokens, checked, seed, ...sampling }) {
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  let input = tokens.slice(sequence.nextTokenIndex);
  let allowed = null;
  let count = 0;
  let draws = 0;
  while (input !== null) {
    const evaluated = sequence.evaluate(input, {
      temperature: sampling.temperature,
      topK: sampling.top_k,
      topP: sampling.top_p,
      seed: (seed + draws) % 2 ** 32,
      yieldEogToken: true,
      tokenBias: () => biasOf(allowed),
    });
    input = null;
    for await (const token of evaluated) {
      allowed = null;
      draws += 1;
      if (current.isStopped) return;
      const verdict = checked ? judged(id) : null;
      const ends = eos.has(token) || model.isEogToken(token);
      send({ id, token, ends });
      const found = await verdict;
      if (current.isStopped) return;
      if (found?.allowed) {
        allowed = found.allowed;
        input = await lastToken();
        break;
      }
      count += 1;
      if (ends || count >= max_tokens) return;
    }
  }
}

/** Returns a promise of the verdict on the token that is sent next. */
function judged(id) {
  return new Promise((resolve) => {
    current.judge = (message) => {
      if (message.id === id || current.isStopped) resolve(message);
    };
  });
}

/** Takes the last token out of the context, so that evaluating it again samples the next one again. */
async function lastToken() {
  const end = sequence.nextTokenIndex;
  const [token] = sequence.contextTokens.slice(-1);
  await sequence.eraseContextTokenRanges([{ start: end - 1, end }]);
  return [token];
}

function biasOf(allowed) {
  const bias = new TokenBias(model.tokenizer);
  if (allowed !== null) bias.set(allowed, { logit: OUTWEIGHS });
  return bias;
}
