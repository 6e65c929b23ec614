import {
  cancelEvaluation,
  createEvaluation,
  getEvaluation,
  listEvaluationRows,
  listEvaluations,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const evaluationsRouter = router({
  list: query(listEvaluations),
  get: query(getEvaluation),
  rows: query(listEvaluationRows),
  create: mutation(createEvaluation),
  cancel: mutation(cancelEvaluation),
});
