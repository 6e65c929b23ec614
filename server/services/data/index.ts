import "server-only";

export { listBackups, recordBackup } from "./backups";
export { deleteConversation } from "./delete-conversation";
export { deleteProject } from "./delete-project";
export { deleteUserData } from "./delete-user-data";
export { keepHouse, scheduleHousekeeping } from "./housekeeping";
export { getDeletion, listDeletions } from "./list-deletions";
export { previewConversationDeletion, previewDeletion } from "./preview-deletion";
export { getRetention, HOUSEKEEPING_MINUTE, previewRetention, updateRetention } from "./retention";
export { runDeletion } from "./run-deletion";
export { getStorage, measureStorage, requestStorageMeasurement } from "./stored-sizes";
export { unfinishedDeletions } from "./unfinished-deletions";
