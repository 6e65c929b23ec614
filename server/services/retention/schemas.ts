import { z } from "zod";
import { queryInteger } from "@/server/platform/schemas";
import { touched } from "@/server/services/deletion/schemas";

/** The minimum, so that a typo never deletes conversations of today. */
export const RETENTION_FLOOR_DAYS = 1;
export const RETENTION_CEILING_DAYS = 36_500;

/** How many days conversations are kept after their last activity; `null` keeps them forever. */
export const retention = z.object({
  days: z.int().nullable(),
  updatedAt: z.number().nullable(),
  /** When older conversations are deleted next (Unix ms). */
  nextRunAt: z.number(),
});
export const retentionReply = z.object({ retention });
export const updateRetentionInput = z.strictObject({
  days: z.int().min(RETENTION_FLOOR_DAYS).max(RETENTION_CEILING_DAYS).nullable(),
});
export const previewRetentionInput = z.strictObject({
  days: queryInteger(RETENTION_FLOOR_DAYS, RETENTION_CEILING_DAYS),
});
export const previewRetentionReply = z.object({
  preview: z.object({
    days: z.int(),
    /** Conversations last active before this time (Unix ms) would be deleted. */
    before: z.number(),
    conversations: z.int(),
    /** Whether the count is complete; otherwise there are more. */
    complete: z.boolean(),
    oldestActivityAt: z.number().nullable(),
    /** What is deleted with them; `null` when there are too many to count. */
    impact: z
      .object({ messages: z.int(), spans: z.int(), logRecords: z.int(), occurrences: z.int(), ...touched })
      .nullable(),
  }),
});
