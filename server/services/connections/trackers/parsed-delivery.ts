import type { z } from "zod";

/** Parses a body as JSON; `undefined` if it is not JSON. */
export function jsonOf(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Parses a delivery's JSON with the schema; `undefined` for forms that we do not read. */
export const parsedDelivery = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined =>
  schema.safeParse(jsonOf(text)).data;
