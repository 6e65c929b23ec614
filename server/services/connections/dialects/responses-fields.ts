import { z } from "zod";
import { cacheControl, chatFields, REASONING_EFFORTS } from "./chat-fields";
import type { ModelDialect } from "./dialect";
import { Unsupported } from "./unsupported";

const text = z.string();

const part = z.looseObject({
  type: text,
  text: text.optional(),
  refusal: text.optional(),
  image_url: text.nullish(),
  file_data: text.nullish(),
  filename: text.nullish(),
  cache_control: cacheControl,
});
export type ResponsePart = z.infer<typeof part>;
const content = z.union([text, z.array(part)]);

const message = z.looseObject({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content,
  cache_control: cacheControl,
});
const functionCall = z.looseObject({
  type: z.literal("function_call"),
  call_id: text,
  name: text,
  arguments: text,
});
const callOutput = z.looseObject({
  type: z.literal("function_call_output"),
  call_id: text,
  output: content,
});
const reasoning = z.looseObject({ type: z.literal("reasoning"), encrypted_content: text.nullish() });
const other = z.looseObject({ type: text, role: z.undefined().optional() });
const item = z.union([message, functionCall, callOutput, reasoning, other]);
export type ResponseItem = z.infer<typeof item>;

const tool = z.looseObject({
  type: text,
  name: text.optional(),
  description: text.nullish(),
  parameters: z.record(text, z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
});

const { temperature, top_p, stream, parallel_tool_calls } = chatFields.shape;

/** The fields of OpenAI's Responses requests that are translated. */
export const responsesFields = z.looseObject({
  model: text,
  input: z.union([text, z.array(item).min(1)]),
  instructions: text.nullish(),
  stream,
  max_output_tokens: z.int().positive().nullish(),
  temperature,
  top_p,
  parallel_tool_calls,
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([z.enum(["auto", "none", "required"]), z.looseObject({ type: text, name: text.optional() })])
    .nullish(),
  reasoning: z.looseObject({ effort: z.enum(REASONING_EFFORTS).nullish() }).nullish(),
  text: z
    .looseObject({
      format: z
        .discriminatedUnion("type", [
          z.looseObject({ type: z.literal("text") }),
          z.looseObject({ type: z.literal("json_object") }),
          z.looseObject({
            type: z.literal("json_schema"),
            name: text,
            description: text.nullish(),
            schema: z.record(text, z.unknown()),
          }),
        ])
        .nullish(),
    })
    .nullish(),
});
export type ResponsesFields = z.infer<typeof responsesFields>;

/** What the gateway itself reads: for whom a call is made, and in which conversation. */
const OURS: ReadonlySet<string> = new Set(["user", "safety_identifier", "metadata"]);

/** Fields that say what is the case anyway. */
const DEFAULTS: Readonly<Record<string, unknown>> = { store: false, background: false, truncation: "disabled" };

/** Fields without which an answer is not the one that was asked for: most refer to what only OpenAI stores. */
const REFUSED: Readonly<Record<string, (value: unknown) => boolean>> = {
  previous_response_id: () => true,
  conversation: () => true,
  prompt: () => true,
  background: (value) => value === true,
  top_logprobs: (value) => typeof value === "number" && value > 0,
};

/** Returns the fields of a request that are not sent on. Throws `Unsupported` for one that must not be left out. */
export function droppedFromResponses(request: ResponsesFields, { label, drops }: ModelDialect): string[] {
  const { verbosity } = request.text ?? {};
  const { summary: _, effort: __, ...thoughts } = request.reasoning ?? {};
  const fields = Object.entries(request).flatMap(([name, value]) => {
    if (value == null || OURS.has(name) || DEFAULTS[name] === value) return [];
    if (REFUSED[name]?.(value)) {
      const instead =
        name === "previous_response_id" || name === "conversation"
          ? "It stores no responses: send the items themselves."
          : "Leave it out, or call another model.";
      throw new Unsupported(`${label} has nothing like “${name}”. ${instead}`, name);
    }
    return Object.hasOwn(responsesFields.shape, name) && !drops.has(name) ? [] : [name];
  });
  return [
    ...fields,
    ...(verbosity == null ? [] : ["text.verbosity"]),
    ...Object.keys(thoughts).map((name) => `reasoning.${name}`),
  ];
}
