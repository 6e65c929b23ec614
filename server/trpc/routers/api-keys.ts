import { createApiKey, listApiKeys, revokeApiKey } from "@/server/services/api-keys";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const apiKeysRouter = router({
  list: query(listApiKeys),
  create: mutation(createApiKey),
  revoke: mutation(revokeApiKey),
});
