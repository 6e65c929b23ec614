import type { LANGUAGES } from "./view";

type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_WORDS: Record<Language, string> = { curl: "curl", javascript: "JavaScript", python: "Python" };
/** The environment variable for the key, which is shown only once, when it is created. */
const KEY = "WHETSTONE_API_KEY";
const ASKED = "Can I return the jacket?";

/** Returns a language's code for calling a deployment: the official client with a different base URL. */
export const snippetOf: Record<Language, (endpoint: string, model: string) => string> = {
  curl: (endpoint, model) =>
    `curl ${endpoint}/chat/completions \\
  -H "Authorization: Bearer $${KEY}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: "user", content: ASKED }] })}'`,
  javascript: (endpoint, model) =>
    `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${endpoint}",
  apiKey: process.env.${KEY},
});
const completion = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${ASKED}" }],
});
console.log(completion.choices[0].message.content);`,
  python: (endpoint, model) =>
    `import os
from openai import OpenAI

client = OpenAI(
    base_url="${endpoint}",
    api_key=os.environ["${KEY}"],
)
completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${ASKED}"}],
)
print(completion.choices[0].message.content)`,
};
