import type { ContentRecipe } from "@/db/schema/json";
import { noteSharedItems, noteSharedList, type SharedItem, type SharedList } from "../otlp/shared-items";
import type { Attributes, AttributeValue, LogRecord, SpanRecord } from "../otlp/types";

/** A value that was taken out, with its loaded parts. */
export type Given = { recipe: ContentRecipe; items: readonly SharedItem[] };

/** Rebuilds the span from which `takeFromSpan` took these values. */
export function putIntoSpan<Span extends Pick<SpanRecord, "attributes" | "events">>(
  span: Span,
  given: readonly Given[],
) {
  const events = span.events.map((event, at) => {
    const own = given.filter(({ recipe }) => recipe.in === at);
    return own.length === 0 ? event : { ...event, attributes: filled(event.attributes, own) };
  });
  return { ...span, attributes: filled(span.attributes, ofAttributes(given)), events };
}

/** Rebuilds the log record from which `takeFromLog` took these values. */
export function putIntoLog<Log extends Pick<LogRecord, "attributes" | "body">>(log: Log, given: readonly Given[]) {
  const ofBody = given.filter(({ recipe }) => recipe.in === "body");
  const whole = ofBody.find(({ recipe }) => recipe.name === null);
  const body = whole ? madeFrom(whole) : ofBody.length > 0 ? filled(log.body as Attributes, ofBody) : log.body;
  return { ...log, attributes: filled(log.attributes, ofAttributes(given)), body: body as AttributeValue };
}

const ofAttributes = (given: readonly Given[]) => given.filter(({ recipe }) => recipe.in === "attributes");

function filled(left: Attributes, given: readonly Given[]): Attributes {
  if (given.length === 0) return left;
  const attributes: Record<string, AttributeValue> = Object.assign(Object.create(null), left);
  for (const one of given) {
    const name = one.recipe.name ?? "";
    if (one.recipe.form !== "family") putLazily(attributes, name, one);
    else putFamily(attributes, left, one);
    const list = listOf(one);
    if (list) noteSharedList(attributes, name, list);
    noteSharedItems(attributes, one.items);
  }
  return attributes;
}

function putFamily(attributes: Record<string, AttributeValue>, left: Attributes, { recipe, items }: Given): void {
  const prefix = `${recipe.name}.`;
  for (const [index, { members }] of items.entries())
    for (const [rest, value] of members) attributes[`${prefix}${index}.${rest}`] = value;
  for (const name in left) if (name.startsWith(prefix)) return;
  noteSharedList(attributes, prefix, { items, isText: false });
}

/** Long histories are mostly read item by item, so the whole value is built only on access. */
function putLazily(attributes: Record<string, AttributeValue>, name: string, given: Given): void {
  const put = (descriptor: PropertyDescriptor) =>
    Object.defineProperty(attributes, name, { ...descriptor, enumerable: true, configurable: true });
  put({
    get: () => {
      const value = madeFrom(given);
      put({ value, writable: true });
      return value;
    },
  });
}

const OPENS = /^\s*\[\s*$/;
const CLOSES = /^\s*\]\s*$/;
const SEPARATES = /^\s*,\s*$/;

/** Returns the items if the value is a list of them, or JSON text of just that list. */
function listOf({ recipe, items }: Given): SharedList | undefined {
  if (recipe.form === "list") return { items, isText: false };
  if (recipe.form !== "text" || recipe.runs.length !== 3) return undefined;
  const isList =
    OPENS.test(items[0]?.text ?? "") &&
    SEPARATES.test(recipe.runs[1]?.[1] ?? "") &&
    CLOSES.test(items.at(-1)?.text ?? "");
  return isList ? { items: items.slice(1, -1), isText: true } : undefined;
}

function madeFrom({ recipe, items }: Given): AttributeValue {
  const texts = items.map(({ text }) => text);
  if (recipe.form === "list") return texts.map((text) => JSON.parse(text));
  if (recipe.form !== "text") return JSON.parse(texts[0] ?? "null");
  let from = 0;
  const pieces = recipe.runs.map(([length, separator]) => {
    from += length;
    return texts.slice(from - length, from).join(separator);
  });
  return pieces.join("");
}
