import "server-only";

export type { StoredResponse } from "./keys";
export { respondOnce } from "./respond-once";
export { sweepKeys } from "./sweep";
