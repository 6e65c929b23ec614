import type { ModelDialect } from "./dialect";
import { type ChatRequest, checkedFields, readChatRequest } from "./read-chat-request";
import {
  droppedFromResponses,
  type ResponseItem,
  type ResponsePart,
  type ResponsesFields,
  responsesFields,
} from "./responses-fields";
import type { TurnMemory } from "./turn-memory";
import { Unsupported } from "./unsupported";

export type ResponsesRequest = ChatRequest & { asked: ResponsesFields };

type Chat = Record<string, unknown>;
type ChatCall = { id: string; type: "function"; function: { name: string; arguments: string } };
type Assistant = { role: "assistant"; content: Chat[]; tool_calls: ChatCall[] };

/** What chat completions call fields of a Responses request. */
const NAMES: Readonly<Record<string, string>> = {
  reasoning_effort: "reasoning.effort",
  response_format: "text.format",
  max_completion_tokens: "max_output_tokens",
};

function partOf({ type, text, refusal, ...part }: ResponsePart, path: string, { label }: ModelDialect): Chat {
  const cached = part.cache_control ? { cache_control: part.cache_control } : {};
  if ((type === "input_text" || type === "output_text" || type === "text") && text !== undefined)
    return { type: "text", text, ...cached };
  if (type === "refusal" && refusal !== undefined) return { type: "refusal", refusal, ...cached };
  if (type === "input_image" && part.image_url)
    return { type: "image_url", image_url: { url: part.image_url }, ...cached };
  if (type === "input_file" && part.file_data)
    return { type: "file", file: { file_data: part.file_data, filename: part.filename }, ...cached };
  throw new Unsupported(`${label} cannot be sent this part of the type “${type}”.`, path);
}

const partsOf = (content: string | readonly ResponsePart[], path: string, dialect: ModelDialect): Chat[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map((part, at) => partOf(part, `${path}.${at}`, dialect));

const isMessage = (item: ResponseItem): item is Extract<ResponseItem, { content: unknown }> => item.role !== undefined;
const isA = <Type extends string>(item: ResponseItem, type: Type): item is Extract<ResponseItem, { type: Type }> =>
  item.type === type;

/** Returns the messages of a chat that the items stand for: what the assistant does at one go is one of them. */
function messagesOf({ instructions, input }: ResponsesFields, dialect: ModelDialect, drop: (name: string) => void) {
  const messages: Chat[] = instructions ? [{ role: "system", content: instructions }] : [];
  let open: Assistant | null = null;
  const assistant = (): Assistant => {
    if (open === null) {
      open = { role: "assistant", content: [], tool_calls: [] };
      messages.push(open);
    }
    return open;
  };
  const items: readonly ResponseItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  for (const [at, item] of items.entries()) {
    const path = `input.${at}`;
    if (isMessage(item)) {
      const content = partsOf(item.content, `${path}.content`, dialect);
      if (item.role === "assistant") {
        assistant().content.push(...content);
        continue;
      }
      open = null;
      messages.push({ role: item.role, content, cache_control: item.cache_control });
    } else if (isA(item, "function_call")) {
      const { call_id: id, name, arguments: given } = item;
      assistant().tool_calls.push({ id, type: "function", function: { name, arguments: given } });
    } else if (isA(item, "function_call_output")) {
      open = null;
      const content = partsOf(item.output, `${path}.output`, dialect);
      messages.push({ role: "tool", tool_call_id: item.call_id, content });
    } else if (isA(item, "reasoning")) {
      // The service's own thoughts are known by the calls that followed them.
      if (item.encrypted_content) drop("input.encrypted_content");
    } else if (item.type === "item_reference") {
      throw new Unsupported(
        `${dialect.label} stores no responses: send the items themselves, as clients do with \`store: false\`.`,
        path,
      );
    } else {
      throw new Unsupported(`${dialect.label} cannot be sent this item of the type “${item.type}”.`, `${path}.type`);
    }
  }
  return messages;
}

function toolsOf({ tools }: ResponsesFields, { label }: ModelDialect) {
  return tools?.map(({ type, name, description, parameters, strict, cache_control }, at) => {
    if (type !== "function" || name === undefined)
      throw new Unsupported(`${label} can be given functions only, not the tool “${type}”.`, `tools.${at}.type`);
    return { type, function: { name, description, parameters, strict }, cache_control };
  });
}

function choiceOf({ tool_choice: choice }: ResponsesFields, { label }: ModelDialect) {
  if (!choice || typeof choice === "string") return choice;
  if (choice.type === "function" && choice.name !== undefined)
    return { type: "function", function: { name: choice.name } };
  throw new Unsupported(`${label} has no tool_choice of the type “${choice.type}”.`, "tool_choice");
}

function formatOf({ text }: ResponsesFields) {
  const { format } = text ?? {};
  if (format?.type !== "json_schema") return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

/** Reads a Responses request of the OpenAI API as the options of a call. Throws `Unsupported`. */
export function readResponsesRequest(given: unknown, dialect: ModelDialect, memory: TurnMemory): ResponsesRequest {
  const asked = checkedFields(responsesFields, given);
  const dropped = new Set(droppedFromResponses(asked, dialect));
  const chat = {
    model: asked.model,
    stream: asked.stream,
    messages: messagesOf(asked, dialect, (name) => void dropped.add(name)),
    max_completion_tokens: asked.max_output_tokens,
    temperature: asked.temperature,
    top_p: asked.top_p,
    parallel_tool_calls: asked.parallel_tool_calls,
    tools: toolsOf(asked, dialect),
    tool_choice: choiceOf(asked, dialect),
    reasoning_effort: asked.reasoning?.effort,
    response_format: formatOf(asked),
  };
  try {
    const request = readChatRequest(chat, dialect, memory);
    for (const name of request.dropped) dropped.add(NAMES[name] ?? name);
    return {
      ...request,
      wantsUsage: true,
      given: new Set(Object.keys(asked).filter((name) => asked[name] != null)),
      dropped,
      asked,
    };
  } catch (error) {
    if (!(error instanceof Unsupported) || error.param === null) throw error;
    const { message, param } = error;
    throw new Unsupported(message, param.startsWith("messages") ? "input" : (NAMES[param] ?? param));
  }
}
