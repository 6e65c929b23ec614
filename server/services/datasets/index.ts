import "server-only";

export { checkDataset } from "./datasets/check-dataset";
export { cleanSplit } from "./datasets/clean-split";
export { createDataset } from "./datasets/create-dataset";
export { deleteDataset, deleteDatasetRows, unfinishedDatasetDeletions } from "./datasets/delete-dataset";
export { getDataset } from "./datasets/get-dataset";
export { listDatasets } from "./datasets/list-datasets";
export { readDatasetRow } from "./datasets/read-dataset";
export { updateDataset } from "./datasets/update-dataset";
export { EXAMPLE_REACH } from "./example-reach";
export { batchExamples } from "./examples/batch-examples";
export { createExample } from "./examples/create-example";
export { deleteExample } from "./examples/delete-example";
export { forgetExamples, ofConversations, ofUser } from "./examples/forget-examples";
export { exampleFacets } from "./examples/lists/example-facets";
export { getExample } from "./examples/lists/get-example";
export { listExamples } from "./examples/lists/list-examples";
export { lockConversations } from "./examples/lock-conversations";
export { type LockedDataset, lockDataset, requireDataset } from "./examples/lock-dataset";
export { keyOfChosen, provenanceKeyOf } from "./examples/provenance-key";
export type { Draft, Outcome } from "./examples/types";
export { updateExample } from "./examples/update-example";
export { writeExamples } from "./examples/write-examples";
export { exportDataset } from "./exports/export-dataset";
export { exportPreview } from "./exports/export-preview";
export {
  countTrainingExamples,
  isUnchanged,
  readTrainingRows,
  type TrainingExamples,
  type TrainingMethod,
} from "./exports/training-rows";
export { createKnowledgeGoal } from "./goals/create-knowledge-goal";
export { deleteKnowledgeGoal } from "./goals/delete-knowledge-goal";
export { getKnowledgeGoal, listKnowledgeGoals } from "./goals/list-knowledge-goals";
export { updateKnowledgeGoal } from "./goals/update-knowledge-goal";
export { cancelImport } from "./imports/cancel-import";
export { createImport } from "./imports/create-import";
export { downloadRejects } from "./imports/download-rejects";
export { forgetImports } from "./imports/forget-imports";
export { previewImport } from "./imports/preview-import";
export { getImport, listImports, unfinishedImports } from "./imports/read-imports";
export { failImport, runImport } from "./imports/run-import";
export { type Dropped as GroupDropped, groupsOf, type LikenessOf } from "./likeness/groups";
export { likenessWords, minHasher } from "./likeness/min-hash";
export { likenessColumns, likenessOf, type StoredLikeness } from "./likeness/stored-likeness";
export { updateUsers } from "./links";
export { claimCandidate, nextCandidate, peekCandidate, releaseCandidate } from "./review/claim-candidate";
export { approveCandidate, rejectCandidate, skipCandidate } from "./review/decide-candidate";
export { draftOf } from "./review/draft-of";
export { getCandidate, listReviewQueue } from "./review/list-review-queue";
export { undoDecision } from "./review/undo-decision";
export { closeForTraining } from "./versions/close-for-training";
export { diffVersions } from "./versions/diff-versions";
export { getVersion, listVersions } from "./versions/list-versions";
export { closeVersion } from "./versions/open-version";
export { restoreVersion } from "./versions/restore-version";
