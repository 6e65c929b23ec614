import { z } from "zod";
import { REFUSAL_REASONS } from "@/db/schema/enumerations";

/** How far back refusals are stored. */
export const REFUSALS_STORED_MINUTES = 24 * 60;
/** Home counts the same. */
export const REFUSALS_SHOWN_MINUTES = 60;

export const listRefusalsInput = z.strictObject({
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(REFUSALS_STORED_MINUTES)
    .default(REFUSALS_SHOWN_MINUTES)
    .describe("How far back refusals are listed."),
});

const refusal = z.object({
  reason: z.enum(REFUSAL_REASONS),
  /** Whose: of a key of this project; named no key, and came from the reader's own network; or from anywhere. */
  from: z.enum(["project", "own_network", "elsewhere"]),
  /** What was wrong, to follow "3 requests". */
  what: z.string(),
  /** What the sender has to change. */
  remedy: z.string(),
  count: z.int(),
  /** Unix ms. */
  lastAt: z.number(),
  /** The keys that were used, up to 5. */
  keyIds: z.array(z.string()),
});

export const refusalsReply = z.object({
  /** Unix ms of the reading. */
  at: z.number(),
  refusals: z.array(refusal),
});
