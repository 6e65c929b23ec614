import { z } from "zod";
import { EXAMPLE_SPLITS } from "@/db/schema/enumerations";

/** Examples that share one property. */
const group = z.object({
  /** The conversation that they come from, if that is what they share. */
  conversationId: z.string().nullable(),
  exampleCount: z.int(),
  splits: z.array(z.enum(EXAMPLE_SPLITS)),
  /** Some of them, newest first. */
  exampleIds: z.array(z.string()),
});

const groups = z.object({
  /** Number of groups. */
  count: z.int(),
  /** The largest groups. */
  largest: z.array(group),
});

/** Problems in a Dataset's Examples. Texts are compared ignoring case and spacing. */
export const datasetCheck = z.object({
  /** Number of Examples compared: the newest. */
  examplesRead: z.int(),
  /** Whether these are all Examples. */
  complete: z.boolean(),
  /** Conversations with Examples in several splits: test data that was also trained on. */
  conversationsInSeveralSplits: groups,
  /** The same input in several splits. */
  inputsInSeveralSplits: groups,
  /** The same input with different answers. */
  inputsWithSeveralAnswers: groups,
  /** The same answer to different inputs. */
  answersOfSeveralInputs: groups,
});

export const datasetCheckReply = z.object({ check: datasetCheck });
