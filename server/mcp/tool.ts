import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Call } from "./call";
import type { Clamped, Shown } from "./markdown";

/** One call of a tool: what it may call, and how it shows texts of others. */
export type ToolCall = { call: Call; shown: Shown };

/** A tool of the endpoint. It calls operations and writes what they reply as Markdown; it has no rules. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  annotations: ToolAnnotations;
  run: (on: ToolCall, input: never) => Promise<string>;
};

/** Declares a tool whose input has the type of its schema. */
export const tool = <Input extends z.ZodObject>(
  declared: Omit<Tool, "input" | "run" | "annotations"> & {
    input: Input;
    /** What it does besides reading. A model's host asks a person before it lets it destroy something. */
    effect: "read" | "adds" | "changes";
    run: (on: ToolCall, input: z.output<Input>) => Promise<string>;
  },
): Tool => {
  const { effect, ...rest } = declared;
  return { ...rest, annotations: ANNOTATIONS[effect] } as unknown as Tool;
};

// Nothing reaches beyond the project: its own conversations and whoever it has connected.
const ANNOTATIONS = {
  read: { readOnlyHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} satisfies Record<string, ToolAnnotations>;

/** Fields that many inputs have. */
export const id = (what: string) => z.string().min(1).max(1000).describe(what);

/** Returns Unix ms of a date or time as models write it; without a zone it is UTC. */
export const msOf = (text: string) => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
export const time = (what: string) =>
  z
    .string()
    .max(40)
    .refine((text) => !Number.isNaN(msOf(text)), "Send an ISO 8601 date or time.")
    .describe(what);

/** A whole number that is not refused beyond its bounds, but brought within them. */
export const clamped = (min: number, max: number, otherwise: number) =>
  z
    .number()
    .default(otherwise)
    .transform((given): Clamped => ({ given, used: Math.min(max, Math.max(min, Math.trunc(given))) }))
    .describe(`At most ${max}; default ${otherwise}.`);

/** Where a list continues. */
export const cursor = z.string().min(1).max(2000).optional().describe("From the previous page.");

export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "Send 1 to 255 visible ASCII characters, without spaces.")
  .optional()
  .describe("Any unique text. Repeat the call with it after a timeout: it takes effect once.");
