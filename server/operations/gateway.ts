import {
  completeGatewayChat,
  createGatewayAlias,
  createGatewayBudget,
  createGatewayEmbeddings,
  createGatewayResponse,
  deleteGatewayAlias,
  deleteGatewayBudget,
  endGatewayExperiment,
  getGatewayAlias,
  getGatewayBudget,
  getGatewayExperiment,
  getGatewayRecording,
  listGatewayAliases,
  listGatewayBudgets,
  listGatewayExperiments,
  listGatewayModels,
  startGatewayExperiment,
  updateGatewayAlias,
  updateGatewayBudget,
  updateGatewayExperiment,
  updateGatewayRecording,
} from "@/server/services/gateway";
import { get, patch, post, project, remove, under } from "./row";

const aliases = `${project}/gateway-aliases`;
const budgets = `${project}/gateway-budgets`;
const experiments = `${project}/gateway-experiments`;

export const GATEWAY = {
  /** At the addresses of the OpenAI API; the key names the project. */
  gateway: under("Gateway", {
    completeChat: post("/chat/completions", completeGatewayChat),
    createResponse: post("/responses", createGatewayResponse),
    createEmbeddings: post("/embeddings", createGatewayEmbeddings),
    listModels: get("/models", listGatewayModels),
  }),
  gatewayAliases: under("Gateway", {
    list: get(aliases, listGatewayAliases),
    create: post(aliases, createGatewayAlias, 201),
    get: get(`${aliases}/:gatewayAliasId`, getGatewayAlias),
    update: patch(`${aliases}/:gatewayAliasId`, updateGatewayAlias),
    delete: remove(`${aliases}/:gatewayAliasId`, deleteGatewayAlias),
  }),
  gatewayBudgets: under("Gateway", {
    list: get(budgets, listGatewayBudgets),
    create: post(budgets, createGatewayBudget, 201),
    get: get(`${budgets}/:gatewayBudgetId`, getGatewayBudget),
    update: patch(`${budgets}/:gatewayBudgetId`, updateGatewayBudget),
    delete: remove(`${budgets}/:gatewayBudgetId`, deleteGatewayBudget),
  }),
  gatewayRecording: under("Gateway", {
    get: get(`${project}/gateway-recording`, getGatewayRecording),
    update: patch(`${project}/gateway-recording`, updateGatewayRecording),
  }),
  gatewayExperiments: under("Gateway", {
    list: get(experiments, listGatewayExperiments),
    start: post(`${aliases}/:gatewayAliasId/experiments`, startGatewayExperiment, 201),
    get: get(`${experiments}/:gatewayExperimentId`, getGatewayExperiment),
    update: patch(`${experiments}/:gatewayExperimentId`, updateGatewayExperiment),
    end: post(`${experiments}/:gatewayExperimentId/end`, endGatewayExperiment),
  }),
};
