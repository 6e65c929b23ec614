// Calls models with the newest official clients, configured only with a base URL, a key and a model's name, and prints the results.
import { createOpenAI } from "@ai-sdk/openai";
import { embed, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";

const { BASE_URL: baseURL, API_KEY: apiKey, MODEL: model, EMBEDDING_MODEL: embeddingModel } = process.env;
const prompt = "Say hello";
const messages = [{ role: "user", content: prompt }];

async function withOpenAi() {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const { chat, responses, embeddings } = client;
  const stream = chat.completions.stream({ model, messages });
  return {
    whole: (await chat.completions.create({ model, messages })).choices[0].message.content,
    streamed: (await stream.finalMessage()).content,
    response: (await responses.stream({ model, input: prompt }).finalResponse()).output_text,
    embedding: (await embeddings.create({ model: embeddingModel, input: "hello" })).data[0].embedding,
  };
}

async function withAiSdk() {
  const provider = createOpenAI({ baseURL, apiKey });
  const get_weather = tool({
    description: "Returns the weather of a city.",
    inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }),
    execute: async ({ city }) => `Rain in ${city}`,
  });
  const asked = { maxRetries: 0, prompt };
  const agent = { ...asked, tools: { get_weather }, stopWhen: stepCountIs(2) };
  const { text: response, steps } = await generateText({ ...agent, model: provider(model) });
  return {
    whole: (await generateText({ ...asked, model: provider.chat(model) })).text,
    streamed: await streamText({ ...asked, model: provider.chat(model) }).text,
    response,
    steps: steps.map(({ finishReason }) => finishReason),
    embedding: (await embed({ model: provider.embedding(embeddingModel), value: "hello", maxRetries: 0 })).embedding,
  };
}

console.log(JSON.stringify({ openai: await withOpenAi(), aiSdk: await withAiSdk() }));
