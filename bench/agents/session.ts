import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomOf } from "../lib/random";

/** How an instrumentation sends the history: as JSON text, flattened by index, or as JSON text with one trace per call. */
export const FORMS = ["json", "flattened", "traces"] as const;
export type Form = (typeof FORMS)[number];

const STEP_BYTES = 4_200;
const TASK_BYTES = 600;
const REMARK_BYTES = 200;
const STEP_MS = 5_000;
const CALL_MS = 3_000;
const VOCABULARY = 6_000;

type Part = { type: string; content?: string; id?: string; name?: string; arguments?: object; response?: string };
type Said = { role: string; parts: Part[] };

const SOURCE = new URL("../../server/services", import.meta.url).pathname;
/** What the agent's tools return: pieces of this repository's own source, which compresses like the text that agents read. */
const source = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .sort()
  .map((path) => readFileSync(join(SOURCE, path), "utf8"))
  .join("\n");

const hex = (number: number, digits = 16) => number.toString(16).padStart(digits, "0");

/**
 * Returns a generator of the spans of an agent's session: each call sends the whole history, which grows by a tool call and
 * its result of 4 kB. 120 calls are 33 MB on the wire for 0.5 MB of distinct text.
 */
export function sessionOf(number: number, form: Form, startMs: number) {
  const random = randomOf(number);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  const word = () => Array.from({ length: 3 + Math.floor(random() * 8) }, letter).join("");
  const vocabulary = Array.from({ length: VOCABULARY }, word);
  const words = (bytes: number) => {
    let text = "";
    // The square favours some words, as in a language.
    while (text.length < bytes) text += `${vocabulary[Math.floor(random() ** 2 * VOCABULARY)]} `;
    return text;
  };
  const fileOf = (bytes: number) => {
    const from = Math.floor(random() * (source.length - bytes));
    return source.slice(from, from + bytes);
  };
  const say = (bytes: number): Part => ({ type: "text", content: words(bytes) });
  const history: Said[] = [
    { role: "system", parts: [say(STEP_BYTES)] },
    { role: "user", parts: [say(TASK_BYTES)] },
  ];

  return (n: number) => {
    const call = { type: "tool_call", id: `call_${number}_${n}`, name: "shell", arguments: { command: words(200) } };
    const response: Said = { role: "assistant", parts: [say(REMARK_BYTES), call] };
    const attributes = {
      "gen_ai.conversation.id": `agent-${number}`,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.id": `resp_${number}_${n}`,
      "gen_ai.usage.input_tokens": history.length * 500,
      "gen_ai.usage.output_tokens": 80,
      ...(form === "flattened" ? flattened(history, response) : asJson(history, response)),
    };
    const result = { type: "tool_call_response", id: call.id, response: fileOf(STEP_BYTES - 500) };
    history.push(response, { role: "tool", parts: [result] });
    return {
      traceId: hex(number * 100_000 + (form === "traces" ? n : 0) + 1, 32),
      spanId: hex(number * 100_000 + n + 1),
      name: "chat",
      startMs: startMs + n * STEP_MS,
      durationMs: CALL_MS,
      attributes,
    };
  };
}

const asJson = (history: readonly Said[], response: Said) => ({
  "gen_ai.input.messages": JSON.stringify(history),
  "gen_ai.output.messages": JSON.stringify([response]),
});

function flattened(history: readonly Said[], response: Said): Record<string, string> {
  const messages = [
    ...history.map((said, index) => [`gen_ai.prompt.${index}.`, said] as const),
    ["gen_ai.completion.0.", response] as const,
  ];
  return Object.assign({}, ...messages.map(([prefix, said]) => flattenedMessage(prefix, said)));
}

function flattenedMessage(prefix: string, { role, parts }: Said) {
  const attributes: Record<string, string> = { [`${prefix}role`]: role };
  for (const part of parts) {
    if (part.type === "text") attributes[`${prefix}content`] = part.content ?? "";
    else if (part.type === "tool_call") {
      attributes[`${prefix}tool_calls.0.id`] = part.id ?? "";
      attributes[`${prefix}tool_calls.0.name`] = part.name ?? "";
      attributes[`${prefix}tool_calls.0.arguments`] = JSON.stringify(part.arguments);
    } else {
      attributes[`${prefix}content`] = part.response ?? "";
      attributes[`${prefix}tool_call_id`] = part.id ?? "";
    }
  }
  return attributes;
}
