import { z } from "zod";

/** Returns the fields of an input by name, through refinements, pipes and alternatives. */
export function fieldsOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  if (schema instanceof z.ZodObject) return schema.shape;
  // `z.preprocess` is a pipe whose first half is a bare function: the fields are in the second.
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodUnion) return Object.assign({}, ...schema.options.map(fieldsOf));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return fieldsOf(schema.unwrap());
  return {};
}
