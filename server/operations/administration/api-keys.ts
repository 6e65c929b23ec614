import { createApiKey, listApiKeys, revokeApiKey } from "@/server/services/api-keys";
import { get, post, project, remove, under } from "../row";

export const API_KEYS = {
  apiKeys: under("API keys", {
    list: get(`${project}/api-keys`, listApiKeys),
    create: post(`${project}/api-keys`, createApiKey, 201),
    revoke: remove(`${project}/api-keys/:keyId`, revokeApiKey),
  }),
};
