import "server-only";

export { createApiKey } from "./create-api-key";
export { holdOwnKey, isAlive } from "./hold-own-key";
export { issueApiKey } from "./issue-api-key";
export { countKeysByMaker, countKeysOf, settleKeysOf } from "./keys-of";
export { listApiKeys } from "./list-api-keys";
export { revokeApiKey } from "./revoke-api-key";
export { verifyApiKey } from "./verify-api-key";
