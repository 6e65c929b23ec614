import { type FieldError, ServiceError } from "../errors";
import { pointerOf } from "../field-errors";

/** Deeper than any honest body; nested further, a later recursion could exhaust the stack. */
const DEPTH_MAX = 100;
const ERRORS_SHOWN = 20;

/** A sentence on what Postgres could not keep in this text, or `undefined`. */
function problemOf(text: string) {
  if (text.includes("\u0000")) return "Must not contain the character U+0000.";
  if (!text.isWellFormed()) return "Must be well-formed Unicode (it has half of a surrogate pair).";
  return undefined;
}

/** Where a value stands: only a problem has its path written out, so that a large input costs no copies of paths. */
type Place = { key: string; up: Place | undefined; depth: number };
type Holder = { value: object; at: Place | undefined };

function pathOf(place: Place | undefined): string[] {
  const path: string[] = [];
  for (let at = place; at; at = at.up) path.unshift(at.key);
  return path;
}

/**
 * Refuses what no text or jsonb column can hold, wherever it stands in an input, and `__proto__` keys. Doors call this
 * once for whatever they took in, so that services meet only text that can be stored and compared.
 */
export function requireStorable(input: unknown) {
  const errors: FieldError[] = [];
  const waiting: Holder[] = [];
  const tell = (place: Place | undefined, message: string) => errors.push({ path: pointerOf(pathOf(place)), message });
  /** Judges one value; what it holds is left for later. */
  const look = (value: unknown, at: Place | undefined) => {
    if (typeof value === "object" && value !== null) waiting.push({ value, at });
    if (typeof value !== "string") return;
    const message = problemOf(value);
    if (message) tell(at, message);
  };
  look(input, undefined);
  for (let next = waiting.pop(); next && errors.length < ERRORS_SHOWN; next = waiting.pop()) {
    const { value, at } = next;
    const depth = (at?.depth ?? 0) + 1;
    if (depth > DEPTH_MAX) {
      errors.push({ path: pointerOf(pathOf(at).slice(0, 3)), message: `Is nested deeper than ${DEPTH_MAX} levels.` });
      break;
    }
    for (const key of Object.keys(value)) {
      if (errors.length >= ERRORS_SHOWN) break;
      const place = { key, up: at, depth };
      const message = key === "__proto__" ? "This name is not allowed." : problemOf(key);
      // A pointer is text in our answer too: an ill-formed key is named by its holder.
      if (message) tell(key === "__proto__" ? place : at, message);
      else look((value as Record<string, unknown>)[key], place);
    }
  }
  if (errors.length) throw new ServiceError("invalid", "The request is not valid.", { errors });
}
