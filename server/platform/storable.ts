import { type FieldError, ServiceError } from "./errors";
import { pointerOf } from "./field-errors";

/** Deeper than any honest body; nested further, a later recursion could exhaust the stack. */
const DEPTH_MAX = 100;
const ERRORS_SHOWN = 20;

/** A sentence on what Postgres could not keep in this text, or `undefined`. */
function problemOf(text: string) {
  if (text.includes("\u0000")) return "Must not contain the character U+0000.";
  if (!text.isWellFormed()) return "Must be well-formed Unicode (it has half of a surrogate pair).";
  return undefined;
}

/**
 * Refuses what no text or jsonb column can hold, wherever it stands in an input, and `__proto__` keys. Doors call this
 * once for whatever they took in, so that services meet only text that can be stored and compared.
 */
export function requireStorable(input: unknown) {
  const errors: FieldError[] = [];
  const waiting: { value: unknown; path: readonly PropertyKey[] }[] = [{ value: input, path: [] }];
  for (let next = waiting.pop(); next && errors.length < ERRORS_SHOWN; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value === "string") {
      const message = problemOf(value);
      if (message) errors.push({ path: pointerOf(path), message });
    } else if (typeof value === "object" && value !== null) {
      if (path.length >= DEPTH_MAX) {
        errors.push({ path: pointerOf(path.slice(0, 3)), message: `Is nested deeper than ${DEPTH_MAX} levels.` });
        break;
      }
      for (const [key, inner] of Object.entries(value)) {
        const message = key === "__proto__" ? "This name is not allowed." : problemOf(key);
        // A pointer is text in our answer too: an ill-formed key is named by its holder.
        if (message) errors.push({ path: key === "__proto__" ? pointerOf([...path, key]) : pointerOf(path), message });
        else waiting.push({ value: inner, path: [...path, key] });
      }
    }
  }
  if (errors.length) throw new ServiceError("invalid", "The request is not valid.", { errors });
}
