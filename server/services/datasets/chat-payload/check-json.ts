import { pointerOf } from "@/server/platform/field-errors";
import { isExactNumber } from "@/server/platform/json/exact-json";
import { isStorable, type Problems } from "./problems";
import { CHAT_LIMITS } from "./schemas";

const { payloadBytes: BYTES_MAX, depth: DEPTH_MAX } = CHAT_LIMITS;
const TOO_LARGE = "Is larger than 1 MiB as JSON. Shorten its messages or tools, or split it into several Examples.";
const TOO_DEEP = `Is nested deeper than ${DEPTH_MAX} levels. Flatten it.`;
const NOT_JSON = "Is not JSON. Use text, finite numbers, true, false, null, arrays and plain objects.";
const NUL = "Contains the character U+0000, which cannot be stored. Remove it.";
const LONE_SURROGATE = "Contains a lone surrogate, which is not valid Unicode. Remove it or complete the pair.";

/** The maximum number of bytes of JSON per UTF-16 unit: an escape such as `\u0001`. */
const BYTES_PER_UNIT_MAX = 6;

/**
 * Adds problems for values that are not JSON, cannot be stored as `jsonb`, or are too large or too deep. Returns whether the
 * rest of the payload is worth checking.
 */
export function checkJson(payload: unknown, problems: Problems): boolean {
  try {
    const walk = new JsonWalk(problems);
    walk.visit(payload);
    const small = walk.bytes * BYTES_PER_UNIT_MAX <= BYTES_MAX;
    const large = walk.bytes > BYTES_MAX || !(small || problems.list.length > 0 || measuredFits(payload));
    if (large) problems.addUnreadable("", TOO_LARGE);
    return !large && !walk.stopped;
  } catch {
    // A getter or a proxy may throw anything.
    problems.addUnreadable("", NOT_JSON);
    return false;
  }
}

const measuredFits = (payload: unknown) => Buffer.byteLength(JSON.stringify(payload)) <= BYTES_MAX;

/** Visits every value, and stops when something makes the rest unreadable. */
class JsonWalk {
  /** A lower bound of the size as JSON; times six, an upper bound. It ends the walk over a cycle or a huge value. */
  bytes = 0;
  stopped = false;
  readonly #path: (string | number)[] = [];
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  visit(value: unknown) {
    this.bytes += 2;
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number") this.#number(value);
    else if (isExactNumber(value)) this.#number(Number(value.rawJSON));
    else if (typeof value === "object" && value !== null) this.#container(value);
    else if (typeof value !== "boolean" && value !== null) this.#report(NOT_JSON);
  }

  #report(message: string) {
    this.#problems.addUnreadable(pointerOf(this.#path), message);
  }

  #text(text: string) {
    this.bytes += text.length;
    if (!isStorable(text)) this.#report(text.includes("\0") ? NUL : LONE_SURROGATE);
  }

  #number(value: number) {
    if (Number.isFinite(value)) this.bytes += String(value).length - 2;
    else this.#report(NOT_JSON);
  }

  #container(value: object) {
    if (this.#path.length >= DEPTH_MAX) {
      this.#report(TOO_DEEP);
      this.stopped = true;
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !this.#over; index++) this.#member(index, value[index]);
    } else if (isPlain(value)) {
      this.#fields(value as Record<string, unknown>);
    } else this.#report(NOT_JSON);
  }

  #fields(value: Record<string, unknown>) {
    for (const key of Object.keys(value)) {
      if (this.#over) return;
      const field = value[key];
      // JSON omits such fields.
      if (field === undefined) continue;
      this.bytes += key.length + 2;
      // The pointer is part of our response: an ill-formed key is reported at its object.
      if (!isStorable(key)) this.#report("Has a field whose name is not valid text. Rename the field.");
      else this.#member(key, field);
    }
  }

  #member(key: string | number, value: unknown) {
    this.#path.push(key);
    if (key === "__proto__") this.#report("This field name is not allowed. Rename the field.");
    else this.visit(value);
    this.#path.pop();
  }

  get #over() {
    if (this.bytes > BYTES_MAX || this.#problems.full) this.stopped = true;
    return this.stopped;
  }
}

/** Returns whether this is an object literal, of this realm or another, or has no prototype. */
function isPlain(value: object) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
