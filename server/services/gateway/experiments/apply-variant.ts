import { LRUCache } from "lru-cache";
import { parameterFields, rewritten } from "@/server/services/proof/variants";
import type { VariantParameters } from "@/server/services/proof/variants/schemas";
import type { Dialect } from "../calls/dialect";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields";
import type { ModelRequest } from "../calls/read-request";
import { spliceFields } from "../calls/splice-fields";
import { spliceList, valueIn } from "../calls/splice-items";

/** What a variant changes of a request. */
export type VariantChange = {
  id: string;
  basedOn: string | null;
  systemPrompt: string | null;
  toolDescriptions: Readonly<Record<string, string>>;
};

const SYSTEM: ReadonlySet<unknown> = new Set(["system", "developer"]);

/** Words that may differ: finding what was filled in takes the square of it, while all other calls wait. */
const EDITS_MAX = 3_000;
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024;
/** Calls of a conversation repeat their system prompt. */
const rewrites = new LRUCache<string, { text: string | null }>({
  maxSize: REMEMBERED_CHARACTERS,
  sizeCalculation: ({ text }, key) => key.length + (text?.length ?? 0) + 1,
});

function changedText(text: string, { id, basedOn, systemPrompt }: VariantChange): string | null {
  if (basedOn === null || systemPrompt === null) return systemPrompt;
  const key = `${id} ${text}`;
  const known = rewrites.get(key);
  if (known) return known.text;
  const changed = rewritten(text, basedOn, systemPrompt, EDITS_MAX);
  rewrites.set(key, { text: changed });
  return changed;
}

/** Returns a system message's content as the variant changes it: a text, or parts of which one is text. */
function changedContent(content: unknown, variant: VariantChange): unknown {
  if (typeof content === "string") return changedText(content, variant);
  const parts = listOf(content);
  const texts = parts.filter((part) => typeof fieldsOf(part).text === "string");
  const [only] = texts;
  if (only === undefined || texts.length > 1) return null;
  const text = changedText(String(fieldsOf(only).text), variant);
  return text === null ? null : parts.map((part) => (part === only ? { ...fieldsOf(part), text } : part));
}

/** Changes the first of the system messages that a list begins with, and that the variant fits. `null`: it fits none. */
function withMessages(request: ModelRequest, name: "messages" | "input", variant: VariantChange): ModelRequest | null {
  const messages = listOf(request.fields[name]);
  for (const [at, message] of messages.entries()) {
    const fields = fieldsOf(message);
    if (!SYSTEM.has(fields.role)) return null;
    const content = changedContent(fields.content, variant);
    if (content === null) continue;
    const text = JSON.stringify(content);
    return {
      fields: { ...request.fields, [name]: messages.with(at, { ...fields, content }) },
      bytes: spliceList(request.bytes, name, (item, index) =>
        index === at ? spliceFields(item, { content: text }) : item,
      ),
    };
  }
  return null;
}

const withFields = ({ fields, bytes }: ModelRequest, values: Fields): ModelRequest => ({
  fields: { ...fields, ...values },
  bytes: spliceFields(
    bytes,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])),
  ),
});

const hasSystem = (items: unknown) => SYSTEM.has(fieldsOf(listOf(items)[0]).role);

function withChatPrompt(request: ModelRequest, variant: VariantChange): ModelRequest | null {
  const { fields, bytes } = request;
  if (variant.basedOn !== null || hasSystem(fields.messages)) return withMessages(request, "messages", variant);
  const message = { role: "system", content: variant.systemPrompt };
  return {
    fields: { ...fields, messages: [message, ...listOf(fields.messages)] },
    bytes: spliceList(bytes, "messages", (item) => item, JSON.stringify(message)),
  };
}

function withResponsePrompt(dialect: Dialect, request: ModelRequest, variant: VariantChange): ModelRequest | null {
  const { fields } = request;
  const given = textOf(fields.instructions);
  const instructions = given === null ? null : changedText(given, variant);
  if (instructions !== null) return withFields(request, { instructions });
  if (given !== null || hasSystem(fields.input)) return withMessages(request, "input", variant);
  if (variant.basedOn === null) return withFields(request, { instructions: variant.systemPrompt });
  // What is stored at the endpoint had the change when it was sent.
  return dialect.isPinned(fields) ? request : null;
}

/** Returns a tool with the variant's description, as its text and as it was read; `null` if the variant has none for it. */
function described(tool: unknown, descriptions: VariantChange["toolDescriptions"]) {
  const fields = fieldsOf(tool);
  const isNested = typeof fields.function === "object" && fields.function !== null;
  const own = isNested ? fieldsOf(fields.function) : fields;
  const name = textOf(own.name);
  if (name === null || !Object.hasOwn(descriptions, name)) return null;
  const description = descriptions[name] as string;
  const values = { description: JSON.stringify(description) };
  return {
    tool: isNested ? { ...fields, function: { ...own, description } } : { ...fields, description },
    splice: (item: Buffer) =>
      isNested
        ? spliceFields(item, { function: spliceFields(valueIn(item, "function") ?? Buffer.from("{}"), values) })
        : spliceFields(item, values),
  };
}

function withTools({ fields, bytes }: ModelRequest, { toolDescriptions }: VariantChange): ModelRequest {
  const changes = listOf(fields.tools).map((tool) => described(tool, toolDescriptions));
  if (!changes.some((change) => change !== null)) return { fields, bytes };
  return {
    fields: { ...fields, tools: listOf(fields.tools).map((tool, at) => changes[at]?.tool ?? tool) },
    bytes: spliceList(bytes, "tools", (item, at) => changes[at]?.splice(item) ?? item),
  };
}

/**
 * Returns a request with a variant's system prompt and descriptions of tools; everything else keeps its bytes. `null` if the
 * request has no system prompt that the change fits.
 */
export function withVariant(dialect: Dialect, request: ModelRequest, variant: VariantChange): ModelRequest | null {
  if (variant.systemPrompt === null) return withTools(request, variant);
  const prompted =
    dialect.operation === "responses"
      ? withResponsePrompt(dialect, request, variant)
      : withChatPrompt(request, variant);
  return prompted && withTools(prompted, variant);
}

/** Returns a request with a variant's parameters, as its dialect calls them. */
export function withParameters(dialect: Dialect, request: ModelRequest, parameters: VariantParameters): ModelRequest {
  const { fields } = request;
  const { reasoning_effort: effort, ...others } = parameterFields(parameters) as Fields;
  const reasoning =
    effort === undefined
      ? {}
      : dialect.operation === "responses"
        ? { reasoning: { ...fieldsOf(fields.reasoning), effort } }
        : { reasoning_effort: effort };
  // A request without a limit gets the variant's as it gets an alias's.
  const limited = dialect.limits.filter((name) => typeof fields[name] === "number");
  const limits = parameters.maxTokens === undefined ? [] : limited.map((name) => [name, parameters.maxTokens]);
  return withFields(request, { ...others, ...reasoning, ...Object.fromEntries(limits) });
}
