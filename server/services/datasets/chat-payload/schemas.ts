import { z } from "zod";

/** The limits of one payload. */
export const CHAT_LIMITS = {
  payloadBytes: 1024 * 1024,
  messages: 2_000,
  tools: 128,
  callsPerMessage: 128,
  nameCharacters: 64,
  callIdCharacters: 256,
  depth: 64,
  problems: 100,
} as const;

/** Names of tools and participants: what every provider and chat template accepts. */
export const CHAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const name = z.string().regex(CHAT_NAME);
const content = z.string().min(1);
const callId = z.string().min(1).max(CHAT_LIMITS.callIdCharacters);

const functionCall = z.strictObject({
  /** One of `input.tools`, if tools are given. */
  name,
  /** The arguments as the model wrote them: a string that holds a JSON object. */
  arguments: z.string().meta({ examples: ['{"orderId":"4711"}'] }),
});

const toolCall = z.strictObject({
  /** Unique among the calls of its message. A `tool` message names it as its `tool_call_id`. */
  id: callId,
  type: z.literal("function"),
  function: functionCall,
});

const systemMessage = z.strictObject({ role: z.literal("system"), content, name: name.optional() });
const developerMessage = z.strictObject({ role: z.literal("developer"), content, name: name.optional() });
const userMessage = z.strictObject({ role: z.literal("user"), content, name: name.optional() });
const assistantMessage = z.strictObject({
  role: z.literal("assistant"),
  /** May be null, empty or absent only beside `tool_calls`. */
  content: z.string().nullish(),
  name: name.optional(),
  tool_calls: z.array(toolCall).min(1).max(CHAT_LIMITS.callsPerMessage).optional(),
});
const weight = z.number().min(0).max(1);
const earlierAnswer = assistantMessage.extend({
  /** The weight of this earlier answer in training. Default: as the job's `trainOn` says, and so 0 unless it says otherwise. */
  weight: weight.optional(),
});
const toolMessage = z.strictObject({
  role: z.literal("tool"),
  /** What the tool returned. May be empty. */
  content: z.string(),
  /** The id of the preceding assistant message's call that this message is the result of. */
  tool_call_id: callId,
  name: name.optional(),
});

const MESSAGES = {
  system: systemMessage,
  developer: developerMessage,
  user: userMessage,
  assistant: earlierAnswer,
  tool: toolMessage,
} as const;

/**
 * A message in the format of OpenAI's chat API, with text content. System and developer messages come first; each call of an
 * assistant message has exactly one `tool` message directly after it.
 */
const chatMessage = z.discriminatedUnion("role", [
  systemMessage,
  developerMessage,
  userMessage,
  earlierAnswer,
  toolMessage,
]);

const toolFunction = z.strictObject({
  /** Unique among the tools. */
  name,
  description: z.string().optional(),
  /** The JSON Schema of the arguments. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().nullish(),
});
const chatTool = z.strictObject({ type: z.literal("function"), function: toolFunction });

const chatInput = z.strictObject({
  type: z.literal("chat"),
  /** At least one is from a user; the last one is from a user or a tool. */
  messages: z.array(chatMessage).min(1).max(CHAT_LIMITS.messages),
  /** The tools that the assistant could call. Omit it if there are none. */
  tools: z.array(chatTool).min(1).max(CHAT_LIMITS.tools).optional(),
});

const rejectedOutput = z.strictObject({ type: z.literal("chat_message"), message: assistantMessage });
const expectedOutput = rejectedOutput.extend({
  /** The weight of this answer in training. Default: 1. */
  weight: weight.optional(),
});

/** The payload of an Example of schema `chat/v1`. `validateChatPayload` checks it, with rules beyond this shape. */
export const chatPayload = z
  .strictObject({
    input: chatInput,
    /** The answer to learn: an assistant message with content, tool calls or both. */
    expectedOutput,
    /** A worse answer to the same input, which preference methods train against. Must differ from the expected one. */
    rejectedOutput: rejectedOutput.optional(),
  })
  .meta({
    examples: [
      {
        input: { type: "chat", messages: [{ role: "user", content: "Where is order 4711?" }] },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: "It arrives tomorrow." } },
      },
    ],
  });

export type ChatRole = keyof typeof MESSAGES;
export type ChatMessage = z.infer<typeof chatMessage>;
export type ChatAnswer = z.infer<typeof assistantMessage>;
export type ChatTool = z.infer<typeof chatTool>;
export type ChatPayload = z.infer<typeof chatPayload>;

const { $schema: _, ...documented } = z.toJSONSchema(chatPayload, { io: "input" });

/**
 * A payload as input of an operation: documented as `chatPayload`, accepted unchecked, and then validated by
 * `validateChatPayload`, whose problems say what to do.
 */
export const givenChatPayload = z.unknown().meta(documented);

const keysOf = (schema: { shape: object }): ReadonlySet<string> => new Set(Object.keys(schema.shape));

/** The fields of each object of a payload. */
export const CHAT_KEYS = {
  payload: keysOf(chatPayload),
  input: keysOf(chatInput),
  expectedOutput: keysOf(expectedOutput),
  rejectedOutput: keysOf(rejectedOutput),
  tool: keysOf(chatTool),
  toolFunction: keysOf(toolFunction),
  toolCall: keysOf(toolCall),
  functionCall: keysOf(functionCall),
  message: Object.fromEntries(Object.entries(MESSAGES).map(([role, schema]) => [role, keysOf(schema)])) as Readonly<
    Record<ChatRole, ReadonlySet<string>>
  >,
} as const;
