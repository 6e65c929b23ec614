import type { z } from "zod";
import { type FieldError, ServiceError } from "@/server/platform/errors";
import { parseJsonWithTools } from "@/server/platform/json/exact-json";
import type { Fields } from "./fields";

/** Returns the JSON of a body. Throws `invalid` for anything else. */
export function readJsonBody(body: Uint8Array): unknown {
  try {
    return parseJsonWithTools(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new ServiceError("invalid", "The body is not valid JSON.");
  }
}

const pointer = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part)}`).join("");

/** Returns a value as the schema's output. Throws `invalid`, with the first problem in the message, as OpenAI's clients show it. */
export function checked<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const errors: FieldError[] = parsed.error.issues.map(({ path, message }) => ({ path: pointer(path), message }));
  const [first] = errors;
  throw new ServiceError("invalid", `${first?.path.slice(1) || "The body"}: ${first?.message}`, { errors });
}

/** A call's request: its fields, and the bytes that are passed on. */
export type ModelRequest = { fields: Fields & { model: string }; bytes: Buffer };

/** Reads a request, of which the endpoint behind the model checks all but the model's name. */
export function readModelRequest(body: Uint8Array, schema: z.ZodType<{ model: string }>): ModelRequest {
  const fields = checked(schema, readJsonBody(body));
  // The memory of a body is reused once it has been read.
  return { fields, bytes: Buffer.from(body) };
}
