import { z } from "zod";

/** How many conversations that began in `[from, to)` have Findings and errors: the newest 10,000 if `sampled`, as in the facets. */
export const conversationsSummary = z.object({
  from: z.number(),
  to: z.number(),
  conversations: z.int(),
  sampled: z.boolean(),
  withFindings: z.int(),
  withErrors: z.int(),
});
export type ConversationsSummary = z.infer<typeof conversationsSummary>;
