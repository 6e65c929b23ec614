import { createApiKey, listApiKeys, revokeApiKey } from "@/server/services/api-keys";
import { about, get, post, project, remove } from "./line";

export const API_KEYS = about("API keys", [
  get(`${project}/api-keys`, listApiKeys),
  post(`${project}/api-keys`, createApiKey, 201),
  remove(`${project}/api-keys/:keyId`, revokeApiKey),
]);
