import { z } from "zod";
import type { JsonSchema } from "./document";

/** Returns the JSON Schema of the input or output, self-contained but for `#/$defs/…`. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    // A transform's output has no schema of its own: only its input is described.
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      // zod omits the default of a preprocessed value.
      if (io === "input" && def.type === "default")
        jsonSchema.default = (def as z.core.$ZodDefaultDef).defaultValue as never;
      // zod omits the examples of a schema with a preprocessed value inside, though they are as they are sent.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (io === "input" && Array.isArray(examples)) jsonSchema.examples = examples;
      // Object keys are always strings.
      if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
      // Inputs keep the bounds of ±2^53 that they are checked against; every integer of a reply would carry them too.
      if (io === "input") return;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return plain;
}

/**
 * Moves `$defs` to the document's components, so that every reference means the same from wherever it is read. `name`
 * keeps the definitions of different schemas apart.
 */
export function hoisted(schema: JsonSchema, name: string, components: Record<string, JsonSchema>): JsonSchema {
  const nameOf = (ref: string) => `${name}${ref.replace(/^#(\/\$defs\/)?/, "_").replace(/_+$/, "")}`;
  const rewritten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewritten);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === "$ref" && typeof inner === "string"
          ? [key, `#/components/schemas/${nameOf(inner)}`]
          : [key, rewritten(inner)],
      ),
    );
  };
  const { $defs, ...root } = schema;
  for (const [key, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
    components[nameOf(`#/$defs/${key}`)] = rewritten(definition) as JsonSchema;
  }
  const refersToItself = JSON.stringify(schema).includes('"$ref":"#"');
  const moved = rewritten(root) as JsonSchema;
  if (!refersToItself) return moved;
  components[nameOf("#")] = moved;
  return { $ref: `#/components/schemas/${nameOf("#")}` };
}
