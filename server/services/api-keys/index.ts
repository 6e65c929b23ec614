import "server-only";

export { createApiKey } from "./create-api-key";
export { issueApiKey } from "./issue-api-key";
export { countKeysByMaker, countKeysOf, settleKeysOf } from "./keys-of";
export { listApiKeys } from "./list-api-keys";
export { isActiveKey, lockOwnKey } from "./lock-own-key";
export { revokeApiKey } from "./revoke-api-key";
export { verifyApiKey } from "./verify-api-key";
