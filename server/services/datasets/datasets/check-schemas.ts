import { z } from "zod";
import { EXAMPLE_SPLITS } from "@/db/schema/enumerations";

/** Examples that belong together by one property. */
const group = z.object({
  /** The conversation they were made from, if that is what they share. */
  conversationId: z.string().nullable(),
  exampleCount: z.int(),
  splits: z.array(z.enum(EXAMPLE_SPLITS)),
  /** Some of them, newest first. */
  exampleIds: z.array(z.string()),
});

const groups = z.object({
  /** How many groups there are. */
  count: z.int(),
  /** The largest of them. */
  largest: z.array(group),
});

/** What should not be in a Dataset. Texts are compared without letter case and spacing. */
export const datasetCheck = z.object({
  /** The newest Examples, which were compared. */
  examplesRead: z.int(),
  /** Whether these are all. */
  complete: z.boolean(),
  /** A conversation with Examples in several splits: what is tested was trained on. */
  conversationsInSeveralSplits: groups,
  /** The same input in several splits. */
  inputsInSeveralSplits: groups,
  /** The same input with different answers. */
  inputsWithSeveralAnswers: groups,
  /** The same answer to different inputs. */
  answersOfSeveralInputs: groups,
});

export const datasetCheckReply = z.object({ check: datasetCheck });
