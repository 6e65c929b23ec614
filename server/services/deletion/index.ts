import "server-only";

export type { ReportedTable } from "@/db/deletion-registry";
export { deleteBatch } from "./delete-batch";
export { deleteConversation } from "./delete-conversation";
export { deleteProject } from "./delete-project";
export { deleteUserData } from "./delete-user-data";
export { addCounts, completeReceipt, openReceipt, readReceipt } from "./deletion-receipt";
export { CONVERSATIONS_COUNTED, impactOf } from "./impact";
export { getDeletion, listDeletions } from "./list-deletions";
export { previewConversationDeletion, previewDeletion } from "./preview-deletion";
export { runDeletion } from "./run-deletion";
export { unfinishedDeletions } from "./unfinished-deletions";
