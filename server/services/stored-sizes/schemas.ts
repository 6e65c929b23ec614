import { z } from "zod";

export const storageReply = z.object({
  storage: z.object({
    /** Unix ms; `null` before the first measurement. */
    measuredAt: z.number().nullable(),
    /** Whether a requested measurement is queued or in progress, as far as the embedded job engine knows. */
    measuring: z.boolean(),
    rows: z.int(),
    /** Estimated from a sample of rows, with indexes in proportion. */
    bytes: z.int(),
    tables: z.array(z.object({ name: z.string(), rows: z.int(), bytes: z.int() })),
  }),
});

export const queuedReply = z.object({ queued: z.literal(true) });
