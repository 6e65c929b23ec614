import "server-only";

export { rewrapSecrets } from "./rewrap-secrets";
export { type RingKeyStatus, retiredRingKeys, ringStatus } from "./ring-status";
export { rotateSecrets } from "./rotate-secrets";
