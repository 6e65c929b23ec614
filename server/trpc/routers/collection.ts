import {
  addConversationsToDatasets,
  approveCandidate,
  cancelCollectionPass,
  claimCandidate,
  correctAnswer,
  createCollectionPass,
  getCandidate,
  getCollectionPass,
  listCollectionPasses,
  listReviewQueue,
  nextCandidate,
  peekCandidate,
  previewCollection,
  previewConversations,
  previewObjective,
  rejectCandidate,
  releaseCandidate,
  skipCandidate,
  undoDecision,
} from "@/server/services/datasets";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const collectionRouter = router({
  preview: query(previewCollection),
  previewObjective: query(previewObjective),
  passes: query(listCollectionPasses),
  pass: query(getCollectionPass),
  createPass: mutation(createCollectionPass),
  cancelPass: mutation(cancelCollectionPass),
  previewConversations: query(previewConversations),
  addConversations: mutation(addConversationsToDatasets),
  correctAnswer: mutation(correctAnswer),
});

export const reviewQueueRouter = router({
  list: query(listReviewQueue),
  get: query(getCandidate),
  peek: query(peekCandidate),
  next: mutation(nextCandidate),
  claim: mutation(claimCandidate),
  release: mutation(releaseCandidate),
  approve: mutation(approveCandidate),
  reject: mutation(rejectCandidate),
  skip: mutation(skipCandidate),
  undo: mutation(undoDecision),
});
