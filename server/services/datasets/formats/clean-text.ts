/** Maximum nesting. Deeper values are not a chat, and walking them would exhaust the stack. */
const MAX_DEPTH = 100;

export type Cleaned = { value: unknown; changed: boolean };

/** Postgres cannot store NUL or half of a surrogate pair. */
const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();
const storable = (text: string) => text.replaceAll("\0", "").replaceAll(LONE_SURROGATE, "");
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Returns a value without NUL and lone surrogates in any of its strings and keys. */
export function cleanText(value: unknown, depth = 0): Cleaned {
  if (typeof value === "string") {
    return isStorable(value) ? { value, changed: false } : { value: storable(value), changed: true };
  }
  if (typeof value !== "object" || value === null) return { value, changed: false };
  if (depth === MAX_DEPTH) throw new RangeError(`is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    const items = value.map((item) => cleanText(item, depth + 1));
    return items.some(({ changed }) => changed)
      ? { value: items.map((item) => item.value), changed: true }
      : { value, changed: false };
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const cleaned = cleanText(item, depth + 1);
    const name = isStorable(key) ? key : storable(key);
    changed ||= cleaned.changed || name !== key;
    return [name, cleaned.value] as const;
  });
  return changed ? { value: Object.fromEntries(entries), changed: true } : { value, changed: false };
}
