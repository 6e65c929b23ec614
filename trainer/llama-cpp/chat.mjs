// Answers prompts with a GGUF file at temperature 0, to show that the file answers as its checkpoint does.
//
// Usage: node chat.mjs REQUEST.json RESULT.json
// Request: {model, lora?, context_size, max_tokens, prompts: [{messages: [{role, content}], text?, scored_text?}]}
// Result:  {answers: [{content, finish_reason, tokens: [ids of `text`] | null, mean_log_likelihood | null}], architecture}
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { getLlama, JinjaTemplateChatWrapper, LlamaChatSession, LlamaLogLevel } from "node-llama-cpp";

// The caller holds our standard input open: when it is killed, the pipe closes and this process must not linger.
process.stdin.on("end", () => process.exit(1)).resume();

// llama.cpp's threads wait for each other by spinning. On busy cores a small model is 1000 times slower with two.
const SMALL_MODEL_BYTES = 100 * 2 ** 20;

const [requestPath, resultPath] = process.argv.slice(2);
const request = JSON.parse(readFileSync(requestPath, "utf8"));
const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error, progressLogs: false });
const model = await llama.loadModel({ modelPath: request.model });
const lora = request.lora ? { adapters: [{ filePath: request.lora, scale: 1 }] } : undefined;
const context = await model.createContext({
  contextSize: Math.min(request.context_size, model.trainContextSize),
  ...(lora ? { lora } : {}),
  ...(statSync(request.model).size < SMALL_MODEL_BYTES ? { threads: 1 } : {}),
});
const sequence = context.getSequence();
const template = model.fileInfo.metadata.tokenizer?.chat_template;

const answers = [];
for (const prompt of request.prompts) {
  const reply = await answer(prompt.messages);
  answers.push({ ...reply, tokens: tokensOf(prompt.text), mean_log_likelihood: await score(prompt) });
}
writeFileSync(resultPath, JSON.stringify({ answers, architecture: model.fileInfo.metadata.general.architecture }));
process.exit(0);

async function answer(messages) {
  await sequence.clearHistory();
  const session = new LlamaChatSession({
    contextSequence: sequence,
    // The default system prompt is not the model's and overflows small contexts.
    systemPrompt: "",
    autoDisposeSequence: false,
    chatWrapper: template ? new JinjaTemplateChatWrapper({ template }) : "auto",
  });
  const last = messages.at(-1);
  const history = messages.slice(0, -1).map(historyItem);
  if (history.length > 0) session.setChatHistory(history);
  const { responseText, stopReason } = await session.promptWithMeta(last.content, {
    maxTokens: request.max_tokens,
    temperature: 0,
  });
  session.dispose();
  return { content: responseText, finish_reason: stopReason === "maxTokens" ? "length" : "stop" };
}

function historyItem({ role, content }) {
  return role === "assistant" ? { type: "model", response: [content] } : { type: role, text: content };
}

function tokensOf(text) {
  return text === undefined ? null : model.tokenize(text, true);
}

// Mean log-likelihood in nats per token of `scored_text`: quantization error shows here before it changes an answer.
async function score({ scored_text: text }) {
  if (!text) return null;
  const tokens = model.tokenize(text, true).slice(0, context.contextSize - 1);
  if (tokens.length < 2) return null;
  await sequence.clearHistory();
  const inputs = tokens.slice(0, -1).map((token, index) => {
    const filter = { tokens: [tokens[index + 1]], includeMax: true };
    return [token, { generateNext: { logits: { filter }, totalLogitWeight: true } }];
  });
  const results = await sequence.controlledEvaluate(inputs);
  let sum = 0;
  results.forEach(({ next }, index) => {
    const max = Math.max(...next.logits.values());
    sum += next.logits.get(tokens[index + 1]) - max - Math.log(next.totalLogitWeight);
  });
  return sum / (tokens.length - 1);
}
