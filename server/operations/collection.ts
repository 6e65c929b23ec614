import {
  cancelCollectionPass,
  createCollectionPass,
  getCollectionPass,
  listCollectionPasses,
  previewCollection,
  previewObjective,
} from "@/server/services/collection";
import {
  approveCandidate,
  claimCandidate,
  getCandidate,
  listReviewQueue,
  nextCandidate,
  peekCandidate,
  rejectCandidate,
  releaseCandidate,
  skipCandidate,
  undoDecision,
} from "@/server/services/datasets";
import { get, post, project, under } from "./row";

const dataset = `${project}/datasets/:datasetId`;
const passes = `${dataset}/collection-passes`;
const queue = `${project}/review-queue`;
const candidate = `${queue}/:candidateId`;

export const COLLECTION = {
  collectionPasses: under("Collection and review", {
    previewObjective: post(`${project}/collection-preview`, previewObjective),
    preview: post(`${dataset}/collection-preview`, previewCollection),
    list: get(passes, listCollectionPasses),
    create: post(passes, createCollectionPass, 202),
    get: get(`${passes}/:collectionPassId`, getCollectionPass),
    cancel: post(`${passes}/:collectionPassId/cancel`, cancelCollectionPass),
  }),
  reviewQueue: under("Collection and review", {
    list: get(queue, listReviewQueue),
    peek: get(`${queue}/next`, peekCandidate),
    next: post(`${queue}/next`, nextCandidate),
    undo: post(`${queue}/undo`, undoDecision),
    get: get(candidate, getCandidate),
    claim: post(`${candidate}/claim`, claimCandidate),
    release: post(`${candidate}/release`, releaseCandidate),
    approve: post(`${candidate}/approve`, approveCandidate),
    reject: post(`${candidate}/reject`, rejectCandidate),
    skip: post(`${candidate}/skip`, skipCandidate),
  }),
};
