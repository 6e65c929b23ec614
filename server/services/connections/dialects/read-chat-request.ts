import type { JSONSchema7, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { z } from "zod";
import { type ChatFields, chatFields, droppedFields } from "./chat-fields";
import type { ModelDialect } from "./dialect";
import { cacheOptions, readMessages } from "./read-messages";
import type { TurnMemory } from "./turn-memory";
import { Unsupported } from "./unsupported";

export type ChatRequest = {
  model: string;
  isStreamed: boolean;
  wantsUsage: boolean;
  options: LanguageModelV4CallOptions;
  /** The names of its fields. */
  given: ReadonlySet<string>;
  /** The fields that are not sent on. */
  dropped: ReadonlySet<string>;
};

const pathOf = (path: readonly PropertyKey[]) => path.map(String).join(".");

/** Returns a request's fields as the schema's output. Throws `Unsupported` with the first problem. */
export function checkedFields<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = pathOf(issue?.path ?? []);
  throw new Unsupported(`${path || "The body"}: ${issue?.message ?? "Invalid input"}`, path || null);
}

/** Returns the model's name. Throws `Unsupported` for one that cannot be a model's. */
export function checkedModel(name: string, { modelName, label }: ModelDialect): string {
  if (modelName.test(name)) return name;
  throw new Unsupported(`${label} has no model that is called “${name}”.`, "model");
}

function toolsOf({ tools }: ChatFields, context: Parameters<typeof cacheOptions>[1]) {
  return (tools ?? []).map(({ function: tool, cache_control: control }) => ({
    type: "function" as const,
    name: tool.name,
    inputSchema: (tool.parameters ?? { type: "object", properties: {} }) as JSONSchema7,
    ...(tool.description && { description: tool.description }),
    ...(typeof tool.strict === "boolean" && { strict: tool.strict }),
    ...cacheOptions(control, context),
  }));
}

function choiceOf({ tool_choice: choice }: ChatFields): LanguageModelV4CallOptions["toolChoice"] {
  if (!choice) return undefined;
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.function.name };
}

function formatOf({ response_format: format }: ChatFields): LanguageModelV4CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { name, description, schema } = format.json_schema;
  return {
    type: "json",
    name,
    schema: (schema ?? { type: "object" }) as JSONSchema7,
    ...(description && { description }),
  };
}

/** Leaves out what is not set: the library tells `undefined` from absent here and there. */
const defined = <Options extends object>(options: Options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Options]?: Exclude<Options[Name], undefined>;
  };

/** Reads a chat request of the OpenAI API as the options of a call. Throws `Unsupported`. */
export function readChatRequest(given: unknown, dialect: ModelDialect, memory: TurnMemory): ChatRequest {
  const fields = checkedFields(chatFields, given);
  const dropped = new Set(droppedFields(fields, dialect));
  const context = { dialect, memory, drop: (name: string) => void dropped.add(name) };
  const { prompt, hasThoughts } = readMessages(fields.messages, context);
  const tools = toolsOf(fields, context);
  const isThinking = fields.reasoning_effort != null && fields.reasoning_effort !== "none";
  const cannotThink = isThinking && dialect.needsThoughts && !hasThoughts;
  if (cannotThink) dropped.add("reasoning_effort");
  const options = defined({
    maxOutputTokens: fields.max_completion_tokens ?? fields.max_tokens ?? undefined,
    temperature: fields.temperature ?? undefined,
    topP: fields.top_p ?? undefined,
    topK: fields.top_k ?? undefined,
    stopSequences: typeof fields.stop === "string" ? [fields.stop] : (fields.stop ?? undefined),
    seed: fields.seed ?? undefined,
    presencePenalty: fields.presence_penalty ?? undefined,
    frequencyPenalty: fields.frequency_penalty ?? undefined,
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: tools.length > 0 ? choiceOf(fields) : undefined,
    responseFormat: formatOf(fields),
    reasoning: cannotThink ? undefined : (fields.reasoning_effort ?? undefined),
  });
  return {
    model: checkedModel(fields.model, dialect),
    isStreamed: fields.stream === true,
    wantsUsage: fields.stream_options?.include_usage === true,
    options: dialect.completed({ ...options, prompt, runsToolsInParallel: fields.parallel_tool_calls ?? null }),
    given: new Set(Object.keys(fields).filter((name) => fields[name] != null)),
    dropped,
  };
}
