import "server-only";

export { rewrapSecrets } from "./rewrap-secrets";
export { type RingKeyStatus, ringStatus } from "./ring-status";
export { rotateSecrets } from "./rotate-secrets";
