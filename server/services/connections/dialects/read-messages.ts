import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ChatMessage, ContentPart } from "./chat-fields";
import type { CacheControl, ModelDialect } from "./dialect";
import type { Turn, TurnMemory } from "./turn-memory";
import { Unsupported } from "./unsupported";

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;
type ReadContext = {
  dialect: ModelDialect;
  memory: TurnMemory;
  /** Names what is not sent on. */
  drop: (name: string) => void;
};
export type ReadMessages = {
  prompt: LanguageModelV4Message[];
  /** Whether the thoughts before each call of a tool since the last message of a user are known. */
  hasThoughts: boolean;
};

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

/** Returns the provider's options for what a client marks as the end of a cached prefix. */
export function cacheOptions(
  control: CacheControl | null | undefined,
  { dialect, drop }: Pick<ReadContext, "dialect" | "drop">,
): { providerOptions?: SharedV4ProviderOptions } {
  if (!control) return {};
  if (dialect.cached) return { providerOptions: dialect.cached(control) };
  drop("cache_control");
  return {};
}

/** Returns a file within a request, or an image at an address. */
function fileOf(
  url: string,
  path: string,
  { dialect }: ReadContext,
): Pick<LanguageModelV4FilePart, "data" | "mediaType"> {
  const [prefix, mediaType] = DATA_URL.exec(url) ?? [];
  if (prefix !== undefined && mediaType !== undefined) {
    return { mediaType, data: { type: "data", data: url.slice(prefix.length) } };
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new Unsupported("It must be a data URL in base64, or an address of the web.", path);
  }
  if (!dialect.loadsImages) {
    throw new Unsupported(`${dialect.label} does not load images from addresses: send a data URL in base64.`, path);
  }
  return { mediaType: "image/*", data: { type: "url", url: new URL(url) } };
}

function partOf(given: ContentPart, path: string, context: ReadContext): Part {
  const { type, text, refusal, image_url: image, file, cache_control: control } = given;
  const cached = cacheOptions(control, context);
  if (type === "text" && text !== undefined) return { type: "text", text, ...cached };
  if (type === "refusal" && refusal !== undefined) return { type: "text", text: refusal, ...cached };
  if (type === "image_url" && image) {
    return { type: "file", ...fileOf(image.url, `${path}.image_url.url`, context), ...cached };
  }
  if (type === "file" && typeof file?.file_data === "string") {
    const filename = file.filename ?? undefined;
    return {
      type: "file",
      ...(filename !== undefined && { filename }),
      ...fileOf(file.file_data, `${path}.file.file_data`, context),
      ...cached,
    };
  }
  throw new Unsupported(`${context.dialect.label} cannot be sent this part of the type “${type}”.`, path);
}

function partsOf({ content }: ChatMessage, path: string, context: ReadContext): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content ?? []).map((part, at) => partOf(part, `${path}.content.${at}`, context));
}

const isText = (part: Part): part is LanguageModelV4TextPart => part.type === "text";

function textsOf(message: ChatMessage, path: string, context: ReadContext): LanguageModelV4TextPart[] {
  return partsOf(message, path, context).map((part, at) => {
    if (isText(part)) return part;
    throw new Unsupported("Only a user's messages may have images and files.", `${path}.content.${at}`);
  });
}

function argumentsOf(given: string, path: string): unknown {
  try {
    const value: unknown = given.trim() === "" ? {} : JSON.parse(given);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Named below.
  }
  throw new Unsupported("The arguments of a tool call must be a JSON object.", path);
}

/** Returns the assistant's message; as the model itself said it, with its thoughts, if that is known. */
function assistantOf(message: ChatMessage, path: string, context: ReadContext): { turn: Turn; isKnown: boolean } {
  const said = textsOf(message, path, context);
  const calls = (message.tool_calls ?? []).map(({ id, function: called }, at) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: called.name,
    input: argumentsOf(called.arguments, `${path}.tool_calls.${at}.function.arguments`),
  }));
  const turn: Turn = [...said, ...calls];
  const known = context.memory.recall(turn);
  return { turn: known ?? turn, isKnown: known !== null };
}

function resultOf(message: ChatMessage, path: string, context: ReadContext): LanguageModelV4ToolResultOutput {
  const parts = partsOf(message, path, context);
  if (parts.every(isText)) return { type: "text", value: parts.map(({ text }) => text).join("") };
  return {
    type: "content",
    value: parts.map((part) =>
      isText(part)
        ? part
        : { type: "file", data: part.data as { type: "data"; data: string }, mediaType: part.mediaType },
    ),
  };
}

/** Returns the messages of a chat as the provider's library takes them. What systems say comes first. */
export function readMessages(messages: readonly ChatMessage[], context: ReadContext): ReadMessages {
  const systems: LanguageModelV4Message[] = [];
  const said: LanguageModelV4Message[] = [];
  const toolNames = new Map<string, string>();
  let hasThoughts = true;
  for (const [at, message] of messages.entries()) {
    const path = `messages.${at}`;
    if (message.name !== undefined && message.role !== "tool") context.drop("messages.name");
    const cached = cacheOptions(message.cache_control, context);
    if (message.role === "system" || message.role === "developer") {
      for (const { text, providerOptions } of textsOf(message, path, context)) {
        systems.push({ role: "system", content: text, ...cached, ...(providerOptions && { providerOptions }) });
      }
    } else if (message.role === "user") {
      const content = partsOf(message, path, context);
      if (content.length > 0) said.push({ role: "user", content, ...cached });
      hasThoughts = true;
    } else if (message.role === "assistant") {
      const { turn, isKnown } = assistantOf(message, path, context);
      for (const part of turn) if (part.type === "tool-call") toolNames.set(part.toolCallId, part.toolName);
      if (turn.some(({ type }) => type === "tool-call")) hasThoughts &&= isKnown;
      // An empty one is refused, and says nothing.
      if (turn.length > 0) said.push({ role: "assistant", content: turn, ...cached });
    } else {
      const id = message.tool_call_id ?? "";
      const toolName = toolNames.get(id);
      if (toolName === undefined) {
        throw new Unsupported("No call of a tool before this message has its tool_call_id.", `${path}.tool_call_id`);
      }
      const result = {
        type: "tool-result" as const,
        toolCallId: id,
        toolName,
        output: resultOf(message, path, context),
        ...cached,
      };
      const last = said.at(-1);
      // Results of one turn belong together.
      if (last?.role === "tool") last.content.push(result);
      else said.push({ role: "tool", content: [result] });
    }
  }
  return { prompt: [...systems, ...said], hasThoughts };
}
