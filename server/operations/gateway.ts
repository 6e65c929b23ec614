import {
  completeGatewayChat,
  createGatewayEmbeddings,
  createGatewayResponse,
  listGatewayModels,
} from "@/server/services/gateway";
import { get, post, under } from "./row";

/** At the addresses of the OpenAI API; the key names the project. */
export const GATEWAY = {
  gateway: under("Gateway", {
    completeChat: post("/chat/completions", completeGatewayChat),
    createResponse: post("/responses", createGatewayResponse),
    createEmbeddings: post("/embeddings", createGatewayEmbeddings),
    listModels: get("/models", listGatewayModels),
  }),
};
