import "server-only";

export type { Answer } from "./keys";
export { answerOnce } from "./once";
export { sweepKeys } from "./sweep";
