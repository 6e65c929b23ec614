import { z } from "zod";
import { COLLECTION_OBJECTIVES } from "@/db/schema/enumerations";
import { changing, filledText, idInput, pageInput } from "@/server/platform/schemas";

const DATASET_NAME_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 10_000;
export const KNOWLEDGE_GOALS_MAX = 100;

const objective = z.enum(COLLECTION_OBJECTIVES);
const name = filledText(DATASET_NAME_CHARACTERS, "Enter a name.");
const description = z.string().max(DESCRIPTION_CHARACTERS);

/** Limits `teach_project_knowledge` to these Knowledge goals. Default: all. */
export const collectionFilters = z.strictObject({
  knowledgeGoalIds: z.array(idInput).max(KNOWLEDGE_GOALS_MAX).optional(),
});

/** A set of training Examples. Times are Unix ms. */
export const dataset = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Fixed at creation. */
  schema: z.object({ type: z.literal("chat"), version: z.literal(1) }),
  /** Which Examples it collects automatically. */
  collectionObjective: objective.nullable(),
  collectionEnabled: z.boolean(),
  collectionFilters: z.object({ knowledgeGoalIds: z.array(z.string()).optional() }),
  /** Whether collected Examples wait for a person's review. */
  collectionReview: z.boolean(),
  /** Whether `correct_failed_conversations` asks the project's adjudicator for better answers. These always need a review. */
  collectionAsksModel: z.boolean(),
  exampleCount: z.int(),
  /** The newest version; 0 before the first Example. */
  version: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Dataset = z.infer<typeof dataset>;

export const datasetReply = z.object({ dataset });
export const datasetsReply = z.object({ datasets: z.array(dataset), nextCursor: z.string().nullable() });

export const NEEDS_OBJECTIVE = "Collection needs an objective. Set collectionObjective, or leave collection off.";

export const createDatasetInput = z
  .strictObject({
    name,
    description: description.default(""),
    schema: z.strictObject({ type: z.literal("chat"), version: z.literal(1) }).default({ type: "chat", version: 1 }),
    collectionObjective: objective.nullable().default(null),
    collectionEnabled: z.boolean().default(false),
    collectionFilters: collectionFilters.default({}),
    collectionReview: z.boolean().default(true),
    collectionAsksModel: z.boolean().default(false),
  })
  .refine((input) => !input.collectionEnabled || input.collectionObjective !== null, {
    path: ["collectionObjective"],
    message: NEEDS_OBJECTIVE,
  })
  .meta({ examples: [{ name: "Support answers", schema: { type: "chat", version: 1 } }] });

const datasetChange = z.strictObject({
  datasetId: idInput,
  name: name.optional(),
  description: description.optional(),
  /** Accepted if it is the Dataset's. */
  schema: z.strictObject({ type: z.string().max(100), version: z.int() }).optional(),
  collectionObjective: objective.nullable().optional(),
  collectionEnabled: z.boolean().optional(),
  collectionFilters: collectionFilters.optional(),
  collectionReview: z.boolean().optional(),
  collectionAsksModel: z.boolean().optional(),
});
export const updateDatasetInput = changing(datasetChange, ["datasetId"]).meta({
  examples: [{ name: "Support answers" }],
});

export const datasetIdInput = z.strictObject({ datasetId: idInput });
export const DATASET_SEARCH_CHARACTERS = 200;
export const listDatasetsInput = z.strictObject({
  /** Part of the name, in any case. */
  q: filledText(DATASET_SEARCH_CHARACTERS).optional(),
  ...pageInput,
});
