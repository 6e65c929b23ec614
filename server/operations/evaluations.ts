import {
  cancelEvaluation,
  createEvaluation,
  getEvaluation,
  listEvaluationRows,
  listEvaluations,
} from "@/server/services/fine-tuning";
import { get, post, project, under } from "./row";

const base = `${project}/fine-tuning`;
const evaluations = `${base}/evaluations`;

export const EVALUATIONS = {
  evaluations: under("Fine-tuning", {
    list: get(evaluations, listEvaluations),
    create: post(evaluations, createEvaluation, 202),
    get: get(`${evaluations}/:evaluationId`, getEvaluation),
    rows: get(`${evaluations}/:evaluationId/rows`, listEvaluationRows),
    cancel: post(`${evaluations}/:evaluationId/cancel`, cancelEvaluation),
  }),
};
