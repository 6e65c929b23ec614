import { z } from "zod";
import { EXAMPLE_SPLITS } from "@/db/schema/enumerations";
import { DROPPABLE } from "../likeness/groups";

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
  /** Whether what is held out, for validation and test, is really unseen in training. */
  heldOut: z.object({
    /** Held-out Examples compared. */
    count: z.int(),
    /** Those with a copy in training: a near copy of their question, the same long answer, conversation or user. */
    seen: z.int(),
    /** What was not counted as a copy, because more than a tenth of the Examples have it in common. */
    ignored: z.array(z.enum(DROPPABLE)),
    /** The largest groups of copies in several splits. */
    largest: z.array(group),
  }),
});

export const datasetCheckReply = z.object({ check: datasetCheck });
export const cleanSplitReply = z.object({
  cleanSplit: z.object({
    /** Examples that got another split. */
    moved: z.int(),
    /** The Dataset's newest version. */
    version: z.int(),
  }),
});
