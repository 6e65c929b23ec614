import type { JobError } from "@/db/schema/engine";

/** One thing that a function asks for, or reports, at the end of a turn. */
export type Op = {
  op: string;
  id: string;
  /** Of a sleep: until when; of a wait: the event's name. */
  name?: string;
  displayName?: string;
  opts?: Record<string, unknown>;
  data?: unknown;
  error?: JobError;
};

/** What the SDK's handler answered to one call. `retryAfter` is the function's wish, in ms. */
export type CallResult =
  | { kind: "ops"; ops: Op[]; retryAfter: number | undefined }
  | { kind: "done"; output: unknown }
  | { kind: "error"; error: JobError; final: boolean; retryAfter: number | undefined };

/** Any thrown or parsed thing in the shape that the SDK writes and reads. */
export function errorOf(value: unknown): JobError {
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  if (typeof value === "object" && value !== null) {
    const { name, message, error } = value as { name?: unknown; message?: unknown; error?: unknown };
    const text = typeof message === "string" ? message : typeof error === "string" ? error : JSON.stringify(value);
    return { ...value, name: typeof name === "string" ? name : "Error", message: text };
  }
  return { name: "Error", message: String(value) };
}
