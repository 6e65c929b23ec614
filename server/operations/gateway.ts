import {
  completeGatewayChat,
  createGatewayAlias,
  createGatewayEmbeddings,
  createGatewayResponse,
  deleteGatewayAlias,
  getGatewayAlias,
  listGatewayAliases,
  listGatewayModels,
  updateGatewayAlias,
} from "@/server/services/gateway";
import { get, patch, post, project, remove, under } from "./row";

const aliases = `${project}/gateway-aliases`;

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
};
