import { randomId } from "@mantine/hooks";
import type { ChatRole } from "@/server/services/datasets/chat-payload/schemas";

/** A payload while it is being edited: what people type is text until it is sent. */
export type PayloadForm = {
  messages: MessageForm[];
  /** `input.tools` as JSON; empty for none. */
  tools: string;
  expected: MessageForm;
  /** Empty: absent, which counts as 1. */
  weight: string;
  rejected: MessageForm | null;
};
export type MessageForm = {
  key: string;
  role: ChatRole;
  content: string;
  /** The original value of empty content, so that saving an untouched message changes nothing. */
  whenEmpty: "" | null | undefined;
  name: string;
  toolCallId: string;
  calls: CallForm[];
  /** Of an answer before the last one. Empty: absent, so that it is not taught unless a job's settings say so. */
  weight: string;
};
export type CallForm = { key: string; id: string; name: string; arguments: string };

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");

export const emptyMessage = (role: ChatRole): MessageForm => ({
  key: randomId(),
  role,
  content: "",
  whenEmpty: role === "assistant" ? null : "",
  name: "",
  toolCallId: "",
  calls: [],
  weight: "",
});

export const emptyCall = (taken: readonly CallForm[]): CallForm => {
  let number = taken.length + 1;
  while (taken.some(({ id }) => id === `call_${number}`)) number++;
  return { key: randomId(), id: `call_${number}`, name: "", arguments: "{}" };
};

export const emptyPayload = (): PayloadForm => ({
  messages: [emptyMessage("user")],
  tools: "",
  expected: emptyMessage("assistant"),
  weight: "",
  rejected: null,
});

function messageForm(value: unknown): MessageForm {
  const { role, content, name, tool_call_id, tool_calls, weight } = fieldsOf(value);
  return {
    key: randomId(),
    role: role as ChatRole,
    content: textOf(content),
    whenEmpty: content === null ? null : content === undefined ? undefined : "",
    name: textOf(name),
    toolCallId: textOf(tool_call_id),
    weight: typeof weight === "number" ? String(weight) : "",
    calls: listOf(tool_calls).map((call) => {
      const called = fieldsOf(fieldsOf(call).function);
      return {
        key: randomId(),
        id: textOf(fieldsOf(call).id),
        name: textOf(called.name),
        arguments: textOf(called.arguments),
      };
    }),
  };
}

/** Returns a payload, or any JSON, as a form; what has no field in it is lost: see `formOfText`. */
export function formOf(payload: unknown): PayloadForm {
  const { input, expectedOutput, rejectedOutput } = fieldsOf(payload);
  const { messages, tools } = fieldsOf(input);
  const { message, weight } = fieldsOf(expectedOutput);
  return {
    messages: listOf(messages).map(messageForm),
    tools: tools === undefined ? "" : JSON.stringify(tools, null, 2),
    expected: messageForm(message),
    weight: typeof weight === "number" ? String(weight) : "",
    rejected: rejectedOutput === undefined ? null : messageForm(fieldsOf(rejectedOutput).message),
  };
}

function messageOf({ role, content, whenEmpty, name, toolCallId, calls, weight }: MessageForm) {
  const given = content === "" ? whenEmpty : content;
  return {
    role,
    ...(given === undefined ? {} : { content: given }),
    ...(name === "" ? {} : { name }),
    ...(role === "tool" ? { tool_call_id: toolCallId } : {}),
    ...(role === "assistant" && weight.trim() !== "" ? { weight: Number(weight) } : {}),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
}

/** Returns the payload to send. Its tools must be JSON: see `formFaults`. */
export const payloadOf = ({ messages, tools, expected, weight, rejected }: PayloadForm) => ({
  input: {
    type: "chat",
    messages: messages.map(messageOf),
    ...(tools.trim() === "" ? {} : { tools: JSON.parse(tools) as unknown }),
  },
  expectedOutput: {
    type: "chat_message",
    message: messageOf(expected),
    ...(weight.trim() === "" ? {} : { weight: Number(weight) }),
  },
  ...(rejected === null ? {} : { rejectedOutput: { type: "chat_message", message: messageOf(rejected) } }),
});

/** Returns why text is not valid JSON, or `null` if it is. */
export function jsonFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is not JSON. ${error instanceof Error ? error.message : ""}`.trim();
  }
}

const WEIGHT = "Enter a number from 0 to 1, or leave it empty.";

/** Returns the problems that keep a form from being sent at all, by pointer. */
export function formFaults({ messages, tools, weight }: PayloadForm): Record<string, string> {
  const fault = tools.trim() === "" ? null : jsonFault(tools);
  const weights = messages.flatMap((message, index) =>
    Number.isNaN(Number(message.weight)) ? [[`/input/messages/${index}/weight`, WEIGHT] as const] : [],
  );
  return {
    ...(fault === null ? {} : { "/input/tools": fault }),
    ...(Number.isNaN(Number(weight)) ? { "/expectedOutput/weight": WEIGHT } : {}),
    ...Object.fromEntries(weights),
  };
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted((value as Fields)[key])]),
        )
      : value;

/** Returns whether two values are the same JSON, whatever the order of their fields. */
export const isSameJson = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Returns JSON text as a form, or why the form cannot show all of it. */
export function formOfText(text: string): { form: PayloadForm } | { fault: string } {
  const fault = jsonFault(text);
  if (fault !== null) return { fault };
  const payload: unknown = JSON.parse(text);
  const form = formOf(payload);
  if (isSameJson(payloadOf(form), payload)) return { form };
  return {
    fault: "The form can’t show some of these fields. Save to see which ones, or remove what is not in chat/v1.",
  };
}
