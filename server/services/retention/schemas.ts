import { z } from "zod";
import { queryInteger } from "@/server/platform/schemas";
import { touched } from "@/server/services/deletion/schemas";

/** A conversation's activity of today must never be what a typing error deletes. */
export const RETENTION_FLOOR_DAYS = 1;
export const RETENTION_CEILING_DAYS = 36_500;

/** Conversations are kept for so many days after their last activity; `null` keeps them for ever. */
export const retention = z.object({
  days: z.int().nullable(),
  updatedAt: z.number().nullable(),
  /** When what is older is deleted the next time (Unix ms). */
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
    /** What was active before this time (Unix ms) would go. */
    before: z.number(),
    conversations: z.int(),
    /** Whether these are all; otherwise there are more. */
    complete: z.boolean(),
    oldestActivityAt: z.number().nullable(),
    /** What goes with them; `null` where they are too many to be counted. */
    impact: z
      .object({ messages: z.int(), spans: z.int(), logRecords: z.int(), occurrences: z.int(), ...touched })
      .nullable(),
  }),
});
