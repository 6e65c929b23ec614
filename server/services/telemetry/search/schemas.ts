import { z } from "zod";

/**
 * How many conversations that began in `[from, to)` have Findings, errors, feedback of users and a thumbs down: the newest 10,000 if
 * `sampled`, as in the facets.
 */
export const conversationsSummary = z.object({
  from: z.number(),
  to: z.number(),
  conversations: z.int(),
  sampled: z.boolean(),
  withFindings: z.int(),
  withErrors: z.int(),
  withFeedback: z.int(),
  withThumbsDown: z.int(),
});
export type ConversationsSummary = z.infer<typeof conversationsSummary>;

/** How the newest calls of a range went: 10,000 at most, `sampled` if there were more. */
export const callsSummary = z.object({
  counted: z.int(),
  sampled: z.boolean(),
  errors: z.int(),
  /** 95 of 100 calls took at most this long; `null` without calls. */
  p95Ms: z.number().nullable(),
});
export type CallsSummary = z.infer<typeof callsSummary>;
