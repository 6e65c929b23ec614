import type { z } from "zod";

/** Returns a delivery's JSON as the schema's output; `undefined` for one of a form that we do not read. */
export function parsedDelivery<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
