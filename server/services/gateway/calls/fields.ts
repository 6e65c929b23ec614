/** An object of which nothing is known. */
export type Fields = Record<string, unknown>;

/** Returns an object's fields; none for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
/** Returns a list's items; none for anything else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Returns a text that is not empty. */
export const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Returns the value of JSON text; `undefined` for any other text. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
