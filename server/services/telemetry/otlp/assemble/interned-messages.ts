import { hash } from "node:crypto";
import { isExactNumber, plainNumber } from "@/server/platform/json/exact-json";
import type { MessageToolCall } from "../../schemas";
import type { PlainMessage } from "../messages/plain-message";
import { parseJson, toText } from "../readers/json-text";
import { textOf } from "../readers/reader";
import { EMPTY_LIST, type ListId, ListTree } from "./list-tree";
import { IN_MEMORY, type TextStore } from "./text-store";

/**
 * Stores each distinct message once, and each distinct list of messages as one step from a shorter list. A conversation
 * whose every call resends the history thus takes the memory of its messages, not of the repeats.
 */
export class InternedMessages {
  /** Ids of exact forms: text-only messages by role and text, others (`variants`) by their JSON text, or its hash. */
  private readonly plainVariants = new Map<string, Map<string, number>>();
  private readonly variants = new Map<string, number>();
  private readonly messages: PlainMessage[] = [];
  /** Ids of frozen messages by object: each is the same object whenever it is sent. */
  private readonly known = new WeakMap<PlainMessage, number>();
  private readonly keys = new Map<string, number>();
  private readonly keyOfVariant: number[] = [];
  private characters = 0;
  /** Lists of messages, each message represented by the id of its exact form. */
  readonly lists = new ListTree();

  constructor(private readonly texts: TextStore = IN_MEMORY) {}

  /**
   * Returns the id of a list of messages. Most lists repeat an earlier one and extend it, so each message is first compared
   * with the one that followed last time, because a lookup requires hashing its whole text.
   */
  list(messages: readonly PlainMessage[]): ListId {
    let list = EMPTY_LIST;
    for (const message of messages) {
      const known = this.known.get(message);
      if (known !== undefined) {
        list = this.lists.extend(list, known);
        continue;
      }
      const likely = this.lists.likelyExtension(list);
      const repeats = likely !== EMPTY_LIST && sameForm(this.message(this.lists.lastOf(likely)), message);
      list = repeats ? likely : this.lists.extend(list, this.variant(message));
      // Only messages of shared items are frozen, and those recur as the same objects.
      if (Object.isFrozen(message)) this.known.set(message, this.lists.lastOf(list));
    }
    return list;
  }

  /** Returns the messages of a list in order, each as the id of its exact form. */
  variantsOf(list: ListId): number[] {
    const variants: number[] = [];
    for (let at = list; at !== EMPTY_LIST; at = this.lists.parentOf(at)) variants.push(this.lists.lastOf(at));
    return variants.reverse();
  }

  /** Returns the key of a message's meaning, which is equal for a message and its repeats in later calls. */
  keyOf(variant: number): number {
    return this.keyOfVariant[variant] ?? -1;
  }

  message(variant: number): PlainMessage {
    return this.messages[variant] ?? NO_MESSAGE;
  }

  /** Estimates the memory that the messages and lists take, in bytes. */
  get bytes(): number {
    return BYTES_PER_CHARACTER * this.characters + BYTES_PER_MESSAGE * this.messages.length + this.lists.bytes;
  }

  private variant(message: PlainMessage): number {
    const text = onlyText(message);
    if (text === undefined) {
      const form = shortened(JSON.stringify(message));
      return this.variants.get(form) ?? this.add(message, this.variants, form);
    }
    let ofRole = this.plainVariants.get(message.role);
    if (!ofRole) {
      ofRole = new Map();
      this.plainVariants.set(message.role, ofRole);
    }
    if (this.isInMemory) return ofRole.get(text) ?? this.add(message, ofRole);
    const form = shortened(text);
    return ofRole.get(form) ?? this.add(message, ofRole, form);
  }

  /** Adds a message under its exact form, or under its own copy of its text if no form is given. */
  private add(message: PlainMessage, variants: Map<string, number>, form?: string): number {
    // A message of a shared item is kept as is: its memory counts with the item.
    const own = Object.isFrozen(message) && this.isInMemory ? message : this.copyOf(message);
    const variant = this.messages.push(own) - 1;
    variants.set(form ?? onlyText(own) ?? "", variant);
    this.keyOfVariant.push(this.key(shortened(meaningOf(message))));
    if (own !== message) this.characters += JSON.stringify(own).length;
    return variant;
  }

  private get isInMemory() {
    return this.texts === IN_MEMORY;
  }

  /** Returns a copy that shares no text with the message: a slice of a span's attribute would retain the attribute. */
  private copyOf(message: PlainMessage): PlainMessage {
    return JSON.parse(JSON.stringify(this.isInMemory ? message : withTexts(message, (text) => this.texts.put(text))));
  }

  private key(meaning: string): number {
    let key = this.keys.get(meaning);
    if (key === undefined) {
      key = this.keys.size;
      this.keys.set(meaning, key);
    }
    return key;
  }
}

/** V8 takes two bytes per character unless a string is pure Latin-1. */
export const BYTES_PER_CHARACTER = 2;
/** Objects and map entries of a message, with hashes but without its text. */
const BYTES_PER_MESSAGE = 600;

const HASH_LENGTH = 64;
/** Returns a short key that is equal only for equal strings: the string itself, or its hash if it is long. */
const shortened = (text: string) => (text.length < HASH_LENGTH ? text : hash("sha256", text, "hex"));

/** Returns a message with its texts and the arguments of its tool calls replaced. */
export const withTexts = <Said extends Pick<PlainMessage, "parts" | "toolCalls">>(
  message: Said,
  replace: (text: string) => string,
): Said => ({
  ...message,
  parts: message.parts.map((part) => (part.text === undefined ? part : { ...part, text: replace(part.text) })),
  toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: replace(call.arguments) })),
});

const NO_MESSAGE: PlainMessage = { role: "", parts: [], toolCalls: [], toolCallId: null };

/** Whether both have the same JSON text. May return `false` for equal messages when that is expensive to determine. */
function sameForm(one: PlainMessage, other: PlainMessage): boolean {
  return (
    one.role === other.role &&
    one.toolCallId === other.toolCallId &&
    one.parts.length === other.parts.length &&
    one.toolCalls.length === other.toolCalls.length &&
    one.parts.every((part, at) => sameFields(part, other.parts[at])) &&
    one.toolCalls.every((call, at) => sameFields(call, other.toolCalls[at]))
  );
}

/** Compares fields in order, as in JSON text; fields that contain objects count as different. */
function sameFields(one: object, other: object | undefined): boolean {
  if (other === undefined) return false;
  const [fields, others] = [Object.entries(one), Object.entries(other)];
  return (
    fields.length === others.length &&
    fields.every(([name, value], at) => name === others[at]?.[0] && value === others[at]?.[1])
  );
}

/** Returns the text of a text-only message. */
function onlyText({ parts, toolCalls, toolCallId }: PlainMessage): string | undefined {
  const [part] = parts;
  if (!part || parts.length > 1 || toolCalls.length > 0 || toolCallId !== null || part.type !== "text")
    return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}

/**
 * Clients change a message between its first appearance and its repeats: reasoning is dropped, white space trimmed, JSON
 * re-serialised, ids of calls lost. Role, text, other parts, and tool calls with their arguments remain.
 */
function meaningOf(message: PlainMessage): string {
  const parts = message.parts.filter((part) => part.type !== "reasoning");
  const text = parts
    .map((part) => (part.type === "text" ? (part.text ?? "").trim() : JSON.stringify(part)))
    .join("\n")
    .trim();
  const calls = message.toolCalls.map(meaningOfCall);
  // A message that contains only reasoning is identified by it.
  const content = text === "" && calls.length === 0 ? JSON.stringify(message.parts) : text;
  return JSON.stringify([message.role, message.role === "tool" ? canonical(content) : content, calls]);
}

const meaningOfCall = (call: MessageToolCall) => `${call.name}(${canonical(call.arguments)})`;

function canonical(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : (textOf(value) ?? toText(inOrderOfKeys(value)));
}

/** A client that stored its history in a database may send the keys of an object back in another order. */
function inOrderOfKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isExactNumber(value)) return plainNumber(value);
  if (Array.isArray(value)) return value.map(inOrderOfKeys);
  const ordered: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) ordered[key] = inOrderOfKeys((value as Record<string, unknown>)[key]);
  return ordered;
}
