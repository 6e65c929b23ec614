// Answers prompts with a GGUF file at temperature 0 and scores another model's answers, token by token, so that both
// can be compared. Uses the chat template and the stop tokens in the file itself.
//
// Usage: node answer.mjs REQUEST.json RESULT.json
// Request: {model, context_size, max_tokens, prompts: [{messages: [{role, content}], answer_tokens: [ids]}]}
// Result:  {answers: [{content, tokens: [ids], logprobs: [nats, one for each of `answer_tokens`]}]}
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { getLlama, JinjaTemplateChatWrapper, LlamaLogLevel } from "node-llama-cpp";

// The caller holds our standard input open: when it is killed, the pipe closes and this process must not linger.
process.stdin.on("end", () => process.exit(1)).resume();

// llama.cpp's threads wait for each other by spinning. On busy cores a small model is 1000 times slower with two.
const SMALL_MODEL_BYTES = 100 * 2 ** 20;

const [requestPath, resultPath] = process.argv.slice(2);
const request = JSON.parse(readFileSync(requestPath, "utf8"));
const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error, progressLogs: false });
const model = await llama.loadModel({ modelPath: request.model });
const context = await model.createContext({
  contextSize: Math.min(request.context_size, model.trainContextSize),
  ...(statSync(request.model).size < SMALL_MODEL_BYTES ? { threads: 1 } : {}),
});
const sequence = context.getSequence();
const template = model.fileInfo.metadata.tokenizer?.chat_template;
const wrapper = template ? new JinjaTemplateChatWrapper({ template }) : null;

const answers = [];
for (const { messages, answer_tokens: scored } of request.prompts) {
  const prompt = tokensOf(messages);
  const tokens = await answer(prompt);
  const visible = tokens.filter((token) => !model.isEogToken(token));
  answers.push({ content: model.detokenize(visible), tokens, logprobs: await score(prompt, scored) });
}
writeFileSync(resultPath, JSON.stringify({ answers }));
process.exit(0);

function tokensOf(messages) {
  if (wrapper === null) return model.tokenize(messages.map(({ content }) => content).join("\n"), true);
  const chatHistory = [...messages.map(historyItem), { type: "model", response: [] }];
  return wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
}

function historyItem({ role, content }) {
  return role === "assistant" ? { type: "model", response: [content] } : { type: role, text: content };
}

async function answer(prompt) {
  await sequence.clearHistory();
  const tokens = [];
  for await (const token of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
    tokens.push(token);
    if (model.isEogToken(token) || tokens.length >= request.max_tokens) break;
  }
  return tokens;
}

// Log-probability of each token of `scored` after the prompt and those before it. The engine returns the largest logit
// and the sum of all weights relative to it, so no vocabulary crosses into JavaScript.
async function score(prompt, scored) {
  if (scored.length === 0) return [];
  await sequence.clearHistory();
  const all = [...prompt, ...scored];
  const first = prompt.length - 1;
  const inputs = all.slice(0, -1).map((token, index) => {
    if (index < first) return token;
    const filter = { tokens: [all[index + 1]], includeMax: true };
    return [token, { generateNext: { logits: { filter }, totalLogitWeight: true } }];
  });
  const results = await sequence.controlledEvaluate(inputs);
  return scored.map((token, index) => {
    const { next } = results[first + index];
    return next.logits.get(token) - Math.max(...next.logits.values()) - Math.log(next.totalLogitWeight);
  });
}
