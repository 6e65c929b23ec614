import type { MessageToolCall } from "../../schemas";
import type { PlainMessage } from "../messages/plain-message";
import { parseJson, toText } from "../readers/json-text";
import { textOf } from "../readers/reader";

/** A list of messages, as a node of a tree in which lists with the same beginning share it. 0 is the empty list. */
export type ListId = number;
export const EMPTY_LIST: ListId = 0;

/** Lists of one parent and message are found by one number: 2^26 messages a conversation, and 2^27 lists. */
const MOST_MESSAGES = 67_108_864;

/**
 * Keeps each distinct message once, as JSON text, and each distinct list of messages as one step from a shorter list. A
 * conversation whose every call resends the whole history so takes the room of its messages, not of their repeats.
 */
export class InternedMessages {
  private readonly variants = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly keys = new Map<string, number>();
  private readonly keyOfVariant: number[] = [];
  private readonly steps = new Map<number, ListId>();
  private readonly parents: ListId[] = [EMPTY_LIST];
  private readonly lasts: number[] = [-1];

  /** The id of a list of messages. */
  list(messages: readonly PlainMessage[]): ListId {
    let list = EMPTY_LIST;
    for (const message of messages) list = this.step(list, this.variant(message));
    return list;
  }

  /** The messages of a list, from its first, each by the id of its exact form. */
  variantsOf(list: ListId): number[] {
    const variants: number[] = [];
    for (let at = list; at !== EMPTY_LIST; at = this.parentOf(at)) variants.push(this.lasts[at] ?? -1);
    return variants.reverse();
  }

  parentOf(list: ListId): ListId {
    return this.parents[list] ?? EMPTY_LIST;
  }

  lastOf(list: ListId): number {
    return this.lasts[list] ?? -1;
  }

  /** What a message says, whatever its form: equal for a message and for its repeats in later calls. */
  keyOf(variant: number): number {
    return this.keyOfVariant[variant] ?? -1;
  }

  message(variant: number): PlainMessage {
    return JSON.parse(this.texts[variant] ?? "null") as PlainMessage;
  }

  private step(list: ListId, variant: number): ListId {
    const path = list * MOST_MESSAGES + variant;
    let next = this.steps.get(path);
    if (next === undefined) {
      next = this.parents.push(list) - 1;
      this.lasts.push(variant);
      this.steps.set(path, next);
    }
    return next;
  }

  private variant(message: PlainMessage): number {
    const text = JSON.stringify(message);
    let variant = this.variants.get(text);
    if (variant === undefined) {
      variant = this.texts.push(text) - 1;
      this.variants.set(text, variant);
      const meaning = meaningOf(message);
      let key = this.keys.get(meaning);
      if (key === undefined) {
        key = this.keys.size;
        this.keys.set(meaning, key);
      }
      this.keyOfVariant.push(key);
    }
    return variant;
  }
}

/**
 * Clients change a message between its first appearance and its repeats: reasoning is left out, white space trimmed, JSON
 * written anew, ids of calls lost. What stays is its role, text, other parts, and the tools called with what.
 */
function meaningOf(message: PlainMessage): string {
  const parts = message.parts.filter((part) => part.type !== "reasoning");
  const told = parts
    .map((part) => (part.type === "text" ? (part.text ?? "").trim() : JSON.stringify(part)))
    .join("\n")
    .trim();
  const calls = message.toolCalls.map(meaningOfCall);
  // a message of nothing but reasoning has that to tell it from others
  const said = told === "" && calls.length === 0 ? JSON.stringify(message.parts) : told;
  const answer = message.role === "tool" ? canonical(said) : said;
  return JSON.stringify([message.role, answer, calls]);
}

const meaningOfCall = (call: MessageToolCall) => `${call.name}(${canonical(call.arguments)})`;

function canonical(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : (textOf(value) ?? toText(value));
}
