export { attachFeedback, attachOverlooked, deleteWaitingFeedback, moveFeedback, WAITING_DAYS } from "./attach-feedback";
export { createFeedback } from "./create-feedback";
export { listFeedback } from "./list-feedback";
export type { SnapshotFeedback } from "./schemas";
export { feedbackIn, feedbackOf, feedbackOn } from "./snapshot-feedback";
export { writeSentFeedback } from "./write-sent-feedback";
