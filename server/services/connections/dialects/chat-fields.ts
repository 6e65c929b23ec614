import { z } from "zod";
import type { ModelDialect } from "./dialect";
import { Unsupported } from "./unsupported";

const text = z.string();
export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const cacheControl = z
  .looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullish();

const part = z.looseObject({
  type: text,
  text: text.optional(),
  refusal: text.optional(),
  image_url: z.looseObject({ url: text }).optional(),
  file: z.looseObject({ file_data: text.nullish(), filename: text.nullish() }).optional(),
  cache_control: cacheControl,
});
export type ContentPart = z.infer<typeof part>;
const content = z.union([text, z.array(part)]);

const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: content.nullish(),
  tool_call_id: text.optional(),
  tool_calls: z.array(z.looseObject({ id: text, function: z.looseObject({ name: text, arguments: text }) })).nullish(),
  cache_control: cacheControl,
});
export type ChatMessage = z.infer<typeof message>;

const tool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: text,
    description: text.nullish(),
    parameters: z.record(text, z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
  cache_control: cacheControl,
});

/** The fields of OpenAI's chat requests that are translated. */
export const chatFields = z.looseObject({
  model: text,
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().positive().nullish(),
  stop: z.union([text, z.array(text)]).nullish(),
  seed: z.int().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: text }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning_effort: z.enum(REASONING_EFFORTS).nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("json_object") }),
      z.looseObject({
        type: z.literal("json_schema"),
        json_schema: z.looseObject({
          name: text,
          description: text.nullish(),
          schema: z.record(text, z.unknown()).nullish(),
        }),
      }),
    ])
    .nullish(),
});
export type ChatFields = z.infer<typeof chatFields>;

/** What the gateway itself reads: for whom a call is made, and in which conversation. */
const OURS: ReadonlySet<string> = new Set(["user", "safety_identifier", "metadata"]);

/** Fields without which an answer is not the one that was asked for. */
const REFUSED: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => typeof value === "number" && value > 1,
  logprobs: (value) => value === true,
  top_logprobs: (value) => typeof value === "number" && value > 0,
  audio: () => true,
  modalities: (value) => Array.isArray(value) && value.some((one) => one !== "text"),
  functions: () => true,
  function_call: () => true,
  web_search_options: () => true,
};

/** Returns the fields of a request that are not sent on. Throws `Unsupported` for one that must not be left out. */
export function droppedFields(request: Readonly<Record<string, unknown>>, { label, drops }: ModelDialect): string[] {
  return Object.entries(request).flatMap(([name, value]) => {
    if (value == null || OURS.has(name)) return [];
    if (Object.hasOwn(REFUSED, name)) {
      if (!REFUSED[name]?.(value)) return [];
      throw new Unsupported(`${label} has nothing like “${name}”. Leave it out, or call another model.`, name);
    }
    return Object.hasOwn(chatFields.shape, name) && !drops.has(name) ? [] : [name];
  });
}
