import {
  cancelEvaluation,
  cancelJudging,
  createEvaluation,
  getEvaluation,
  judgeEvaluation,
  listEvaluationRows,
  listEvaluations,
  nextBlindRow,
  previewJudging,
  reviewEvaluationRow,
} from "@/server/services/proof";
import { get, post, project, under } from "./row";

const base = `${project}/fine-tuning`;
const evaluations = `${base}/evaluations`;

export const EVALUATIONS = {
  evaluations: under("Fine-tuning", {
    list: get(evaluations, listEvaluations),
    create: post(evaluations, createEvaluation, 202),
    get: get(`${evaluations}/:evaluationId`, getEvaluation),
    rows: get(`${evaluations}/:evaluationId/rows`, listEvaluationRows),
    nextBlind: get(`${evaluations}/:evaluationId/blind-row`, nextBlindRow),
    review: post(`${evaluations}/:evaluationId/rows/:n/review`, reviewEvaluationRow),
    judgePreview: get(`${evaluations}/:evaluationId/judge-preview`, previewJudging),
    judge: post(`${evaluations}/:evaluationId/judge`, judgeEvaluation, 202),
    cancelJudging: post(`${evaluations}/:evaluationId/judge/cancel`, cancelJudging),
    cancel: post(`${evaluations}/:evaluationId/cancel`, cancelEvaluation),
  }),
};
