import {
  createKnowledgeGoal,
  deleteKnowledgeGoal,
  getKnowledgeGoal,
  listKnowledgeGoals,
  updateKnowledgeGoal,
} from "@/server/services/datasets";
import { get, patch, post, project, remove, under } from "./row";

const goals = `${project}/knowledge-goals`;

export const KNOWLEDGE_GOALS = {
  knowledgeGoals: under("Knowledge goals", {
    list: get(goals, listKnowledgeGoals),
    create: post(goals, createKnowledgeGoal, 201),
    get: get(`${goals}/:knowledgeGoalId`, getKnowledgeGoal),
    update: patch(`${goals}/:knowledgeGoalId`, updateKnowledgeGoal),
    delete: remove(`${goals}/:knowledgeGoalId`, deleteKnowledgeGoal),
  }),
};
