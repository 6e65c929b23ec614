/** Replaces U+0000 and lone surrogates, which a log line may contain and Postgres cannot store. */
export const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

/** Returns the value with every string in it storable. */
export function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), storableValue(item)]));
}
