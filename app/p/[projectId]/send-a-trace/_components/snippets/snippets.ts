import { claudeCode, env } from "./any-otlp";
import { curl, python, typescript } from "./by-hand";
import * as javascript from "./javascript";
import * as withPython from "./python";
import type { Where } from "./set-up";

/** What a program is written with, most common first: real clients, then what works without one. */
export const SNIPPETS = [
  { value: "openai-python", label: "OpenAI (Python)", write: withPython.openai },
  { value: "openai-js", label: "OpenAI (JS)", write: javascript.openai },
  { value: "ai-sdk", label: "Vercel AI SDK", write: javascript.aiSdk },
  { value: "langchain", label: "LangChain", write: withPython.langchain },
  { value: "anthropic", label: "Anthropic", write: withPython.anthropic },
  { value: "litellm", label: "LiteLLM", write: withPython.litellm },
  { value: "claude-code", label: "Claude Code", write: claudeCode },
  { value: "env", label: "OTel variables", write: env },
  { value: "typescript", label: "TypeScript by hand", write: typescript },
  { value: "python", label: "Python by hand", write: python },
  { value: "curl", label: "curl", write: curl },
] as const satisfies readonly { value: string; label: string; write: (where: Where) => string }[];
export type SnippetName = (typeof SNIPPETS)[number]["value"];

export const NO_KEY = "YOUR_API_KEY";

/** Returns a program that sends one conversation, ready to run. */
export const snippet = (name: SnippetName, where: Where) => SNIPPETS.find(({ value }) => value === name)!.write(where);
