import { canonicalJson } from "@/server/platform/json/canonical-json";

export type Call = { name: string; arguments: string };

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Returns an answer as it is compared and shown: its text or, if it calls tools, the calls as a JSON list, whatever text stands
 * beside them. Arguments are compared as values, so the order of their keys makes no difference.
 */
export function answerText(content: string, calls: readonly Call[]): string {
  if (calls.length === 0) return content;
  return JSON.stringify(calls.map(({ name, arguments: given }) => ({ name, arguments: parsed(given) })));
}

/** Whether a text is an answer that calls tools. */
export function isCalls(text: string): boolean {
  const list = text.startsWith('[{"name":') ? parsed(text) : undefined;
  const isCall = (one: unknown) => canonicalJson(Object.keys(one as object).sort()) === '["arguments","name"]';
  return Array.isArray(list) && list.every((one) => typeof one === "object" && one !== null && isCall(one));
}
