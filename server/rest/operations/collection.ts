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
import { about, get, post, project } from "./line";

const dataset = `${project}/datasets/:datasetId`;
const passes = `${dataset}/collection-passes`;
const queue = `${project}/review-queue`;
const candidate = `${queue}/:candidateId`;

export const COLLECTION = about("Collection and review", [
  post(`${project}/collection-preview`, previewObjective),
  post(`${dataset}/collection-preview`, previewCollection),
  get(passes, listCollectionPasses),
  post(passes, createCollectionPass, 202),
  get(`${passes}/:collectionPassId`, getCollectionPass),
  post(`${passes}/:collectionPassId/cancel`, cancelCollectionPass),
  post(`${project}/conversation-examples`, addConversationsToDatasets),
  post(`${project}/conversation-examples/preview`, previewConversations),
  post(`${dataset}/corrections`, correctAnswer),
  get(queue, listReviewQueue),
  get(`${queue}/next`, peekCandidate),
  post(`${queue}/next`, nextCandidate),
  post(`${queue}/undo`, undoDecision),
  get(candidate, getCandidate),
  post(`${candidate}/claim`, claimCandidate),
  post(`${candidate}/release`, releaseCandidate),
  post(`${candidate}/approve`, approveCandidate),
  post(`${candidate}/reject`, rejectCandidate),
  post(`${candidate}/skip`, skipCandidate),
]);
