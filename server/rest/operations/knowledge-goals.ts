import {
  createKnowledgeGoal,
  deleteKnowledgeGoal,
  getKnowledgeGoal,
  listKnowledgeGoals,
  updateKnowledgeGoal,
} from "@/server/services/datasets";
import { about, get, patch, post, project, remove } from "./line";

const goals = `${project}/knowledge-goals`;

export const KNOWLEDGE_GOALS = about("Knowledge goals", [
  get(goals, listKnowledgeGoals),
  post(goals, createKnowledgeGoal, 201),
  get(`${goals}/:knowledgeGoalId`, getKnowledgeGoal),
  patch(`${goals}/:knowledgeGoalId`, updateKnowledgeGoal),
  remove(`${goals}/:knowledgeGoalId`, deleteKnowledgeGoal),
]);
