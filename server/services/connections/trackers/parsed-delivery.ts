import type { z } from "zod";

/** Returns a body as JSON; `undefined` if it is none. */
export function jsonOf(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns a delivery's JSON as the schema's output; `undefined` for one of a form that we do not read. */
export const parsedDelivery = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined =>
  schema.safeParse(jsonOf(text)).data;
