import type { JobError } from "@/db/schema/engine";

/** One operation that a function requests or reports at the end of a turn. */
export type Op = {
  op: string;
  id: string;
  /** For a sleep: until when; for a wait: the event's name. */
  name?: string;
  displayName?: string;
  opts?: Record<string, unknown>;
  data?: unknown;
  error?: JobError;
};

/** The result of one call of the SDK's handler. `retryAfter` is in ms, as the function requested. */
export type CallResult =
  | { kind: "ops"; ops: Op[]; retryAfter: number | undefined }
  | { kind: "done"; output: unknown }
  | { kind: "error"; error: JobError; final: boolean; retryAfter: number | undefined };

/** Returns any thrown or parsed value as the SDK's error shape. */
export function errorOf(value: unknown): JobError {
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  if (typeof value === "object" && value !== null) {
    const { name, message, error } = value as { name?: unknown; message?: unknown; error?: unknown };
    const text = typeof message === "string" ? message : typeof error === "string" ? error : JSON.stringify(value);
    return { ...value, name: typeof name === "string" ? name : "Error", message: text };
  }
  return { name: "Error", message: String(value) };
}
