import { isExactNumber, parseExactJson, plainNumber } from "@/server/platform/json/exact-json";
import type { ChatMessage, ExampleRow } from "./types";

/** The lines for an Example, or why it has none. */
export type Written = { lines: readonly unknown[] } | { reason: string };

const line = (value: unknown): Written => ({ lines: [value] });
const NO_REJECTED = "It has no rejected answer";
const NOTHING_TRAINED = "Its weight is 0, so nothing would be trained on";

const ONLY_REJECTED = "Its only answer is a rejected one";

/** Whether there is a better answer than the rejected one: an Example may have only a bad answer, for KTO. */
const isPair = ({ payload: { expectedOutput, rejectedOutput } }: ExampleRow) =>
  JSON.stringify(expectedOutput.message) !== JSON.stringify(rejectedOutput?.message);

const isTaught = ({ weight = 1 }: { weight?: number }) => weight > 0;

const withTools = (tools: unknown[] | undefined) => (tools && tools.length > 0 ? { tools } : {});

/** Exactly the keys that OpenAI allows: it rejects a file with any other. */
function strict({ role, content, name, tool_calls: calls, tool_call_id: callId }: ChatMessage) {
  return {
    role,
    content: content ?? (calls ? null : ""),
    ...(name !== undefined && role !== "tool" && { name }),
    ...(calls && {
      tool_calls: calls.map(({ id, function: called }) => ({
        id,
        type: "function",
        function: { name: called.name, arguments: called.arguments },
      })),
    }),
    ...(callId !== undefined && { tool_call_id: callId }),
  };
}

function openAiChat({ payload: { input, expectedOutput } }: ExampleRow): Written {
  const weights = [...input.messages.map(({ weight = 0 }) => weight), expectedOutput.weight ?? 1];
  if (!weights.some((weight) => weight > 0)) return { reason: NOTHING_TRAINED };
  const messages = [...input.messages, expectedOutput.message].map((message, index) => ({
    ...strict(message),
    // An answer without a weight is trained on.
    ...(message.role === "assistant" && weights[index] === 0 && { weight: 0 }),
  }));
  return line({ messages, ...withTools(input.tools) });
}

function openAiPreference(row: ExampleRow): Written {
  const { input, expectedOutput, rejectedOutput } = row.payload;
  if (!rejectedOutput) return { reason: NO_REJECTED };
  if (!isPair(row)) return { reason: ONLY_REJECTED };
  return line({
    input: { messages: input.messages.map(strict), ...withTools(input.tools) },
    preferred_output: [strict(expectedOutput.message)],
    non_preferred_output: [strict(rejectedOutput.message)],
  });
}

/**
 * Chat templates serialize a call's arguments themselves, so TRL needs the object rather than its JSON text. Its numbers are
 * written as they stand in the text.
 */
function argumentsOf(text: string): unknown {
  try {
    const value = parseExactJson(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}

/** Templates identify a result by its function's name, which OpenAI's messages leave to the call's id. */
function trlMessages(messages: readonly ChatMessage[]) {
  const names = new Map<string, string>();
  return messages.map((message) => {
    for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
    const name = message.name ?? (message.role === "tool" ? names.get(message.tool_call_id ?? "") : undefined);
    return {
      ...strict(message),
      ...(name !== undefined && { name }),
      ...(message.tool_calls && {
        tool_calls: message.tool_calls.map(({ id, function: called }) => ({
          id,
          type: "function",
          function: { name: called.name, arguments: argumentsOf(called.arguments) },
        })),
      }),
    };
  });
}

function trlSft({ payload: { input, expectedOutput } }: ExampleRow): Written {
  if (expectedOutput.weight === 0) return { reason: NOTHING_TRAINED };
  return line({ messages: trlMessages([...input.messages, expectedOutput.message]), ...withTools(input.tools) });
}

function trlPromptCompletion({ payload: { input, expectedOutput } }: ExampleRow): Written {
  if (expectedOutput.weight === 0) return { reason: NOTHING_TRAINED };
  return line({
    prompt: trlMessages(input.messages),
    completion: trlMessages([expectedOutput.message]),
    ...withTools(input.tools),
  });
}

function trlDpo(row: ExampleRow): Written {
  const { input, expectedOutput, rejectedOutput } = row.payload;
  if (!rejectedOutput) return { reason: NO_REJECTED };
  if (!isPair(row)) return { reason: ONLY_REJECTED };
  return line({
    prompt: trlMessages(input.messages),
    chosen: trlMessages([expectedOutput.message]),
    rejected: trlMessages([rejectedOutput.message]),
    ...withTools(input.tools),
  });
}

function trlKto({ payload: { input, expectedOutput, rejectedOutput } }: ExampleRow): Written {
  const prompt = trlMessages(input.messages);
  const row = (message: ChatMessage, label: boolean) => ({
    prompt,
    completion: trlMessages([message]),
    label,
    ...withTools(input.tools),
  });
  const good = expectedOutput.weight === 0 ? [] : [row(expectedOutput.message, true)];
  const bad = rejectedOutput ? [row(rejectedOutput.message, false)] : [];
  return good.length + bad.length === 0 ? { reason: NOTHING_TRAINED } : { lines: [...good, ...bad] };
}

function lossless({ id, payload, tags, split, source, externalRef }: ExampleRow): Written {
  return line({
    ...(id !== undefined && { id }),
    payload,
    ...(tags && { tags }),
    ...(split && { split }),
    ...(source && { source }),
    ...(externalRef !== undefined && { externalRef }),
  });
}

type Line = { tools?: unknown[] } & Record<string, unknown>;
const weightOf = ({ weight }: { weight?: number }) => (weight === undefined || weight === 1 ? {} : { weight });

/** Messages as a client sends them: nothing is added that a template would see in training only. */
const asSent = (messages: readonly ChatMessage[]) =>
  messages.map((message) => ({ ...strict(message), ...(message.name !== undefined && { name: message.name }) }));
/** The same with the weight of each answer that has one. */
const weighted = (messages: readonly ChatMessage[]) =>
  asSent(messages).map((message, index) => ({
    ...message,
    ...(messages[index]?.weight !== undefined && { weight: messages[index].weight }),
  }));

/** Tools as their text: a trainer's template then sees keys and numbers as a client sends them. */
const asText = ({ tools, ...line }: Line): object => ({ ...line, ...(tools && { tools: JSON.stringify(tools) }) });

function trainedConversation({ payload: { input, expectedOutput } }: ExampleRow): Line[] {
  if (!isTaught(expectedOutput) && !input.messages.some(({ weight }) => weight)) return [];
  const answer = { ...expectedOutput.message, ...weightOf(expectedOutput) };
  return [{ messages: weighted([...input.messages, answer]), ...withTools(input.tools) }];
}

function trainedPair(row: ExampleRow): Line[] {
  const { input, expectedOutput, rejectedOutput } = row.payload;
  if (!rejectedOutput || !isPair(row) || !isTaught(expectedOutput)) return [];
  const [prompt, chosen, rejected] = [input.messages, [expectedOutput.message], [rejectedOutput.message]].map(asSent);
  return [{ prompt, chosen, rejected, ...weightOf(expectedOutput), ...withTools(input.tools) }];
}

function trainedAnswers({ payload: { input, expectedOutput, rejectedOutput } }: ExampleRow): Line[] {
  const line = (message: ChatMessage, label: boolean, weight: object = {}): Line => ({
    prompt: asSent(input.messages),
    completion: asSent([message]),
    label,
    ...weight,
    ...withTools(input.tools),
  });
  return [
    ...(isTaught(expectedOutput) ? [line(expectedOutput.message, true, weightOf(expectedOutput))] : []),
    ...(rejectedOutput ? [line(rejectedOutput.message, false)] : []),
  ];
}

const TRAINED = { sft: trainedConversation, dpo: trainedPair, orpo: trainedPair, kto: trainedAnswers };
export type TrainingMethod = keyof typeof TRAINED;

/**
 * Converts an Example to the rows that a method trains on: with weights, and with tools and arguments as text. `content` is the
 * same without what does not change its meaning: the order of keys, and how numbers are written.
 */
export const trainingLines = (row: ExampleRow, method: TrainingMethod): { line: object; content: unknown }[] =>
  TRAINED[method](row).map((line) => ({ line: asText(line), content: plainContent(line) }));

/** Returns a value with the JSON of a call's arguments parsed, and numbers as JavaScript's. */
function plainContent(value: unknown): unknown {
  if (isExactNumber(value)) return plainNumber(value);
  if (Array.isArray(value)) return value.map(plainContent);
  if (typeof value !== "object" || value === null) return value;
  const isCall = typeof (value as { name?: unknown }).name === "string";
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      plainContent(isCall && key === "arguments" && typeof field === "string" ? argumentsOf(field) : field),
    ]),
  );
}

/** Converts an Example to lines of JSON, by format. */
export const JSON_FORMATS = {
  lossless,
  openai_chat: openAiChat,
  openai_preference: openAiPreference,
  trl_sft: trlSft,
  trl_prompt_completion: trlPromptCompletion,
  trl_dpo: trlDpo,
  trl_kto: trlKto,
} as const satisfies Record<string, (row: ExampleRow) => Written>;
