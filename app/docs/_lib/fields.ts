import type { DescribedOperation, JsonSchema } from "@/server/rest/openapi";

/** One row of a schema's table: `path` is dotted, `[]` marks list elements. */
export type Field = { path: string; type: string; required: boolean; words: string };

const DEPTH_SHOWN = 4;

const list = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** Returns a short description of a schema: `string`, `"high" | "low"`, `integer 1 to 500 or null`. */
export function typeOf(schema: JsonSchema): string {
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = [...list(schema.anyOf), ...list(schema.oneOf)];
  if (options.length) return [...new Set(options.map(typeOf))].join(" or ");
  if (typeof schema.$ref === "string") return "any JSON";
  const types = [schema.type].flat().filter((type): type is string => typeof type === "string");
  if (types.includes("array")) return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`;
  const { minimum, maximum } = schema;
  const range =
    typeof minimum === "number" && typeof maximum === "number" && maximum < 1e6 ? ` ${minimum} to ${maximum}` : "";
  return (types.join(" or ") || "anything") + range;
}

function wordsOf(schema: JsonSchema) {
  const words = [typeof schema.description === "string" ? schema.description : ""];
  if (schema.default !== undefined) words.push(`Default: ${JSON.stringify(schema.default)}.`);
  return words.filter(Boolean).join(" ");
}

/** Returns the part of a schema that has fields: a list's elements, the non-null side of `… or null`. */
function inner(schema: JsonSchema): { schema: JsonSchema; suffix: string } {
  if (schema.items) {
    const below = inner(schema.items as JsonSchema);
    return { schema: below.schema, suffix: `[]${below.suffix}` };
  }
  const options = [...list(schema.anyOf), ...list(schema.oneOf)].filter(({ type }) => type !== "null");
  return options[0] ? inner(options[0]) : { schema, suffix: "" };
}

/** Returns every field of an object, nested ones under dotted names. */
export function fieldsOf(schema: JsonSchema, prefix = "", depth = 0): Field[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required ?? []) as string[];
  return properties.flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const below = inner(field);
    return [
      { path, type: typeOf(field), required: required.includes(name), words: wordsOf(field) },
      ...(depth < DEPTH_SHOWN ? fieldsOf(below.schema, `${path}${below.suffix}.`, depth + 1) : []),
    ];
  });
}

/** Returns the JSON of a request or a reply, if it has any. */
export const contentOf = (part: object | undefined): { schema: JsonSchema; example?: unknown } | undefined => {
  const content = part && "content" in part ? (part.content as Record<string, { schema: JsonSchema }>) : {};
  return content["application/json"];
};

/** Returns the fields of an operation's JSON body. */
export function bodyFields({ requestBody }: DescribedOperation): Field[] {
  const body = contentOf(requestBody);
  return body ? fieldsOf(body.schema) : [];
}
