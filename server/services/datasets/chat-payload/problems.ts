import { pointerOf } from "@/server/platform/field-errors";
import { isExactNumber } from "@/server/platform/json/exact-json";
import { CHAT_LIMITS, CHAT_NAME } from "./schemas";

/** A problem of a payload at a JSON pointer, and how to fix it. */
export type ChatProblem = { path: string; message: string };

/** A JSON object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

const REQUIRED = "Is required.";

/** Collects the problems of one payload, up to the limit. */
export class Problems {
  readonly list: ChatProblem[] = [];
  /** Pointers to values that are not storable JSON: any other problem there is a consequence. */
  #unreadable = new Set<string>();

  get full() {
    return this.list.length >= CHAT_LIMITS.problems;
  }

  add(path: string, message: string) {
    if (!this.full && !this.#unreadable.has(path)) this.list.push({ path, message });
  }

  /** Adds a problem that suppresses every later one at the same pointer. */
  addUnreadable(path: string, message: string) {
    this.add(path, message);
    this.#unreadable.add(path);
  }

  /** Returns the object at a pointer, or adds a problem and returns `undefined`. `keys` are the fields that it may have. */
  object(value: unknown, at: string, keys?: ReadonlySet<string>): Fields | undefined {
    if (!isFields(value)) {
      this.add(at, value === undefined ? REQUIRED : "Must be an object.");
      return undefined;
    }
    if (keys) this.knownKeys(value, at, keys);
    return value;
  }

  /** Adds a problem for every field that is not one of `keys`. */
  knownKeys(value: Fields, at: string, keys: ReadonlySet<string>, message = "Unknown field. Remove it.") {
    for (const key of Object.keys(value)) {
      if (keys.has(key) || value[key] === undefined) continue;
      if (this.full) return;
      // A key that cannot be part of a response has been reported at its object.
      if (isStorable(key)) this.add(at + pointerOf([key]), message);
    }
  }

  /** Returns the list at a pointer, or adds a problem and returns `undefined`. */
  array(value: unknown, at: string, limit: number, whenEmpty: string): readonly unknown[] | undefined {
    if (value === undefined) this.add(at, REQUIRED);
    else if (!Array.isArray(value)) this.add(at, "Must be an array.");
    else if (value.length === 0) this.add(at, whenEmpty);
    else if (value.length > limit) this.add(at, `Has ${value.length} items. Shorten it to at most ${limit}.`);
    else return value;
    return undefined;
  }

  /** Adds a problem unless the value is exactly this text. */
  literal(value: unknown, at: string, text: string) {
    if (value !== text) this.add(at, `Must be "${text}".`);
  }

  /** Returns a valid name, or adds a problem and returns `undefined`. */
  name(value: unknown, at: string): string | undefined {
    if (typeof value === "string" && CHAT_NAME.test(value)) return value;
    this.add(at, `Must be 1 to ${CHAT_LIMITS.nameCharacters} letters, digits, underscores or hyphens.`);
    return undefined;
  }

  /** Returns a valid id of a tool call, or adds a problem and returns `undefined`. */
  callId(value: unknown, at: string): string | undefined {
    if (typeof value === "string" && value !== "" && value.length <= CHAT_LIMITS.callIdCharacters) return value;
    this.add(at, `Must be a string of 1 to ${CHAT_LIMITS.callIdCharacters} characters: the id of a tool call.`);
    return undefined;
  }
}

/** Returns whether Postgres and a JSON response can represent this text. */
export const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();
