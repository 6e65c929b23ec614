/**
 * JSON whose numbers keep the digits they were sent with. JavaScript's own parser reads `1234567890123456789` as another
 * number, `10.10` as `10.1`, and `1e400` as infinity, which is written as `null`.
 */

/** A number that JavaScript cannot represent as written. `JSON.stringify` writes its text; nothing else may look inside. */
export type ExactNumber = { readonly rawJSON: string };

/** Not yet in TypeScript's library, nor in browsers of before 2025, which read JavaScript's numbers instead. */
const EXACT = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON?(text: string): ExactNumber;
  isRawJSON?(value: unknown): value is ExactNumber;
};

/** Whether a value is a number that only its text represents. */
export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === "object" && value !== null && (EXACT.isRawJSON?.(value) ?? false);

/** Digits of numbers that may change: sixteen or more, a last decimal of zero, an exponent, a negative zero. */
const MAY_CHANGE = /\d(?:\.\d*0(?!\d)|\.\d{15}|[eE][+-]?\d|\d{15})|-0/;

/** Parses JSON like `JSON.parse`, except that a number that would change becomes an `ExactNumber`. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Most texts have no numbers; looking for one costs little, and calling back for each value much more than parsing.
  return EXACT.rawJSON && hasNumber(value) && MAY_CHANGE.test(text) ? EXACT.parse(text, withDigits) : value;
}

/** JSON nested more deeply is not searched: functions cannot be called as deeply as JSON may be nested. */
const MAX_SEARCHED_DEPTH = 500;

function hasNumber(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number";
  if (depth > MAX_SEARCHED_DEPTH) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (hasNumber(item, depth + 1)) return true;
    return false;
  }
  for (const key in value) if (hasNumber((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

const withDigits = (_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === "number" && source !== undefined && String(value) !== source ? EXACT.rawJSON?.(source) : value;

/** Objects nested more deeply keep their exact numbers: nothing that is read has them. */
const MAX_PLAIN_DEPTH = 200;

/**
 * Returns a value with JavaScript's numbers in place of exact ones, and itself if there are none. What `kept` returns for a
 * field, given its key and the object it is in, takes the place of that field; `undefined` leaves it to the rule.
 */
export function withPlainNumbers(
  value: unknown,
  kept: (key: string, field: unknown, object: object) => unknown = () => undefined,
  depth = 0,
): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_PLAIN_DEPTH) return value;
  if (isExactNumber(value)) return Number(value.rawJSON);
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [key, field] of Object.entries(value)) {
    const plain = kept(key, field, value) ?? withPlainNumbers(field, kept, depth + 1);
    if (plain === field) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, key, { value: plain, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

/** The fields whose values reach chat templates as they were sent. */
const VERBATIM = new Set(["tools", "functions"]);
export const isVerbatim = (key: string): boolean => VERBATIM.has(key);

/** Parses JSON like `JSON.parse`, except that tools keep the digits of their numbers. */
export const parseJsonWithTools = (text: string): unknown =>
  withPlainNumbers(parseExactJson(text), (key, field) => (isVerbatim(key) ? field : undefined));

/** Parses JSON like `JSON.parse`, except that a whole number beyond JavaScript's becomes its text. */
export const parseExactIntegers = (text: string): unknown =>
  EXACT.parse(text, (_key, value, { source }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value,
  );

/** Returns an exact number as a JavaScript number if that is the same to the last digit that counts, otherwise as its text. */
export function plainNumber({ rawJSON: text }: ExactNumber): number | string {
  const number = Number(text);
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(text)) ? number : text;
}
