import { CONVENTIONS } from "./conventions";
import { parseJson } from "./readers/json-text";
import type { Attributes } from "./types";

/** A tool in the format of chat APIs. */
export type ToolDefinition = {
  type: "function";
  function: { name: string; description?: string; parameters?: unknown };
};

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
/** Returns the tools that a span's model was given; an empty list if the span reports none. */
export function toolDefinitionsOf(attributes: Attributes): ToolDefinition[] {
  for (const { tools } of CONVENTIONS) {
    const found = (tools?.(attributes) ?? []).flatMap((one) => definitionOf(parseJson(one)) ?? []);
    if (found.length > 0) return found;
  }
  return [];
}

/** Tools are nested under `function`, as in chat APIs, or flat, with `parameters`, `inputSchema` or `input_schema`. */
function definitionOf(given: unknown): ToolDefinition | null {
  const outer = fieldsOf(given);
  const { name, description, ...rest } = { ...outer, ...fieldsOf(outer.function) } as Fields;
  if (typeof name !== "string" || name === "") return null;
  const parameters = parseJson(rest.parameters ?? rest.inputSchema ?? rest.input_schema);
  return {
    type: "function",
    function: {
      name,
      ...(typeof description === "string" && { description }),
      ...(typeof parameters === "object" && parameters !== null && { parameters }),
    },
  };
}
