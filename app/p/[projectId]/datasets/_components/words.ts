import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import type { Example } from "@/server/services/datasets/examples/schemas";
import type { DatasetVersion } from "@/server/services/datasets/versions/schemas";

export type Objective = NonNullable<Dataset["collectionObjective"]>;
export type Split = Example["split"];
type Source = Example["source"]["kind"];

/** What a Dataset collects. */
export const OBJECTIVES: Record<Objective, { name: string; description: string }> = {
  preserve_successful_behavior: {
    name: "Preserve successful behavior",
    description: "Answers that worked, from conversations with good feedback and no Finding.",
  },
  correct_failed_conversations: {
    name: "Correct failed conversations",
    description: "Better answers for conversations with a Finding; the failed answer is the rejected one.",
  },
  learn_from_user_corrections: {
    name: "Learn from user corrections",
    description: "Answers that a user corrected and then accepted.",
  },
  teach_project_knowledge: {
    name: "Teach project knowledge",
    description: "Good answers about what your Knowledge goals describe.",
  },
};
export const OBJECTIVE_VALUES = Object.keys(OBJECTIVES) as Objective[];

export const SPLITS: Record<Split, string> = { train: "Train", validation: "Validation", test: "Test" };
export const SPLIT_VALUES = Object.keys(SPLITS) as Split[];

/** Where an Example came from. */
export const SOURCES: Record<Source, string> = {
  manual: "By hand",
  import: "Import",
  conversation: "Conversation",
  finding: "Finding",
  correction: "Correction",
  knowledge_goal: "Knowledge goal",
};
export const SOURCE_VALUES = Object.keys(SOURCES) as Source[];

/** What made a version. */
export const VERSION_KINDS: Record<DatasetVersion["kind"], string> = {
  edit: "Edits",
  import: "Import",
  collection: "Collection",
  restore: "Restore",
};
