import { z } from "zod";
import { changing, filledText, idInput, pageInput } from "@/server/platform/schemas";

/** Maximum goals per project: collection reads all of them for each conversation. */
export const GOALS_MAX = 500;
const PHRASES_MAX = 50;

const fields = {
  title: filledText(200, "Enter a title."),
  /** What the model should know. */
  description: z.string().trim().max(10_000),
  /** Words or phrases by which conversations about it are found, besides the title. */
  keyPhrases: z
    .array(filledText(200))
    .max(PHRASES_MAX)
    .transform((phrases) => [...new Set(phrases)]),
};

/** What a model should know about the project. Times are Unix ms. */
export const knowledgeGoal = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  keyPhrases: z.array(z.string()),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type KnowledgeGoal = z.infer<typeof knowledgeGoal>;

export const createKnowledgeGoalInput = z.strictObject({
  title: fields.title,
  description: fields.description.default(""),
  keyPhrases: fields.keyPhrases.default([]),
});
export const knowledgeGoalIdInput = z.strictObject({ knowledgeGoalId: idInput });
export const updateKnowledgeGoalInput = changing(
  z.strictObject({
    knowledgeGoalId: idInput,
    title: fields.title.optional(),
    description: fields.description.optional(),
    keyPhrases: fields.keyPhrases.optional(),
  }),
  ["knowledgeGoalId"],
);
export const listKnowledgeGoalsInput = z.strictObject(pageInput);
export const knowledgeGoalReply = z.object({ knowledgeGoal });
export const knowledgeGoalsReply = z.object({
  knowledgeGoals: z.array(knowledgeGoal),
  nextCursor: z.string().nullable(),
});
