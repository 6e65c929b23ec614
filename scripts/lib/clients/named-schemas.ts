import type { JsonSchema } from "@/server/rest/openapi";

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const pascal = (text: string) =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the name of one element of a list: `entries` has an `Entry`. */
const singular = (name: string) =>
  /(series|ss|us|is)$/.test(name) ? name : name.replace(/ies$/, "y").replace(/(?<=x|ch|sh)es$|s$/, "");

/**
 * Gives every schema of an object a name, because a generator makes a type of each: the name of where it is, and the same for equal
 * ones under one `subject`. `components` receives them.
 */
export function createNaming(components: Record<string, JsonSchema>) {
  const known = new Map<string, string>();
  function reference(subject: string, schema: JsonSchema, wanted: string): JsonSchema {
    const same = `${subject} ${JSON.stringify(schema)}`;
    let name = known.get(same);
    if (name === undefined) {
      name = wanted;
      for (let n = 2; name in components; n += 1) name = `${wanted}${n}`;
      known.set(same, name);
      components[name] = schema;
    }
    return { $ref: `#/components/schemas/${name}` };
  }
  return function named(subject: string, schema: unknown, name: string, isRoot = true): unknown {
    if (Array.isArray(schema)) return schema.map((one) => named(subject, one, name, isRoot));
    if (!isObject(schema)) return schema;
    const moved: JsonSchema = { ...schema };
    for (const keyword of ["anyOf", "oneOf", "allOf", "additionalProperties"]) {
      if (keyword in moved) moved[keyword] = named(subject, moved[keyword], name, isRoot);
    }
    if (isObject(moved.items)) moved.items = named(subject, moved.items, isRoot ? name : singular(name), false);
    if (!isObject(moved.properties)) return moved;
    const parent = isRoot ? name.replace(/Reply$/, "") : name;
    moved.properties = Object.fromEntries(
      Object.entries(moved.properties).map(([property, one]) => [
        property,
        named(subject, one, `${parent}${pascal(property)}`, false),
      ]),
    );
    return Object.keys(moved.properties as object).length > 0 ? reference(subject, moved, name) : moved;
  };
}
