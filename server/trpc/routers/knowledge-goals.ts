import {
  createKnowledgeGoal,
  deleteKnowledgeGoal,
  getKnowledgeGoal,
  listKnowledgeGoals,
  updateKnowledgeGoal,
} from "@/server/services/datasets";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const knowledgeGoalsRouter = router({
  list: query(listKnowledgeGoals),
  get: query(getKnowledgeGoal),
  create: mutation(createKnowledgeGoal),
  update: mutation(updateKnowledgeGoal),
  remove: mutation(deleteKnowledgeGoal),
});
