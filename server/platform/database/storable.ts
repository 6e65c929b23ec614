import { type FieldError, ServiceError } from "../errors";
import { pointerOf } from "../field-errors";

/** Deeper than any legitimate body; beyond it a later recursion could exhaust the stack. */
const DEPTH_MAX = 100;
const ERRORS_MAX = 20;

/** Returns why Postgres could not store this text, or `undefined`. */
function problemOf(text: string) {
  if (text.includes("\u0000")) return "Must not contain the character U+0000.";
  if (!text.isWellFormed()) return "Must be well-formed Unicode (it contains a lone surrogate).";
  return undefined;
}

/** A linked path: it is only written out for an error, so that a large input costs no copies of paths. */
type Location = { key: string; parent: Location | undefined; depth: number };
type Container = { value: object; at: Location | undefined };

function pathOf(location: Location | undefined): string[] {
  const path: string[] = [];
  for (let at = location; at; at = at.parent) path.unshift(at.key);
  return path;
}

/**
 * Throws `invalid` for text that no text or jsonb column can hold, anywhere in an input, and for `__proto__` keys. Doors
 * call this once per input, so that services only see text that can be stored and compared.
 */
export function requireStorable(input: unknown) {
  const errors: FieldError[] = [];
  const pending: Container[] = [];
  const report = (at: Location | undefined, message: string) => errors.push({ path: pointerOf(pathOf(at)), message });
  /** Checks one value and queues its members. */
  const check = (value: unknown, at: Location | undefined) => {
    if (typeof value === "object" && value !== null) pending.push({ value, at });
    if (typeof value !== "string") return;
    const message = problemOf(value);
    if (message) report(at, message);
  };
  check(input, undefined);
  for (let next = pending.pop(); next && errors.length < ERRORS_MAX; next = pending.pop()) {
    const { value, at } = next;
    const depth = (at?.depth ?? 0) + 1;
    if (depth > DEPTH_MAX) {
      errors.push({ path: pointerOf(pathOf(at).slice(0, 3)), message: `Is nested deeper than ${DEPTH_MAX} levels.` });
      break;
    }
    for (const key of Object.keys(value)) {
      if (errors.length >= ERRORS_MAX) break;
      const location = { key, parent: at, depth };
      const message = key === "__proto__" ? "This name is not allowed." : problemOf(key);
      // The pointer is part of our response: an ill-formed key is reported at its container.
      if (message) report(key === "__proto__" ? location : at, message);
      else check((value as Record<string, unknown>)[key], location);
    }
  }
  if (errors.length) throw new ServiceError("invalid", "The request is not valid.", { errors });
}

/** Throws `invalid` for a value that is nested so deeply that a later recursion could exhaust the stack. */
export function requireShallow(input: unknown) {
  const pending = [{ value: input, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= DEPTH_MAX) throw new ServiceError("invalid", `The body is nested deeper than ${DEPTH_MAX} levels.`);
    for (const member of Object.values(value)) pending.push({ value: member, depth: depth + 1 });
  }
}
