import { parseJson, unwrapList } from "./json-text";
import { objectIn, type Reader, textOf } from "./reader";

/** Reads tags in an attribute, or under `key` of the JSON object that it holds. */
export function tagsIn(name: string, key?: string): Reader<string[]> {
  return {
    takes: [name],
    read: (attributes) => textsOf(key === undefined ? attributes[name] : objectIn(attributes[name])?.[key]),
  };
}

/** Returns the strings of a list, or of a list as JSON text; other text is split at commas, as LangSmith and Langfuse do. */
function textsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = parseJson(value) ?? value;
  const items = unwrapList(parsed) ?? textOf(parsed)?.split(",");
  return items?.flatMap((item) => textOf(item) ?? []);
}
