import { z } from "zod";
import { TRAINING_EVENT_LEVELS } from "@/db/schema/enumerations";

const MESSAGE_MAX = 4000;

/** Replaces U+0000 and lone surrogates, which a log line may contain and Postgres cannot store. */
const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

/** Returns the value with every string in it storable. */
export function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), storableValue(item)]));
}

/** An event in the format of the trainer's contract. `ts` is ISO 8601 by the trainer's clock. */
export const wireEvent = z.object({
  seq: z.int().min(1).max(2_147_483_647),
  attempt: z.int().min(0).max(2_147_483_647),
  ts: z.string().transform((ts) => {
    const at = Date.parse(ts);
    return Number.isNaN(at) ? 0 : Math.max(0, at);
  }),
  level: z.enum(TRAINING_EVENT_LEVELS).catch("info"),
  type: z.string().min(1).max(100),
  message: z
    .string()
    .catch("")
    .transform((message) => storable(message).slice(0, MESSAGE_MAX)),
  data: z
    .record(z.string(), z.unknown())
    .catch({})
    .transform((data) => storableValue(data) as Record<string, unknown>),
});
export type WireEvent = z.output<typeof wireEvent>;
