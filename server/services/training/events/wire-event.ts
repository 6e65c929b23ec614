import { z } from "zod";
import { TRAINING_EVENT_LEVELS } from "@/db/schema/enumerations";
import { storable, storableValue } from "@/server/services/trainers";

const MESSAGE_MAX = 4000;

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
