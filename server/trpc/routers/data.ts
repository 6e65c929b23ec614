import {
  deleteUserData,
  getDeletion,
  getRetention,
  getStorage,
  listBackups,
  listDeletions,
  previewConversationDeletion,
  previewDeletion,
  previewRetention,
  requestStorageMeasurement,
  updateRetention,
} from "@/server/services/data";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const deletionsRouter = router({
  list: query(listDeletions),
  get: query(getDeletion),
  preview: query(previewDeletion),
  previewConversation: query(previewConversationDeletion),
  create: mutation(deleteUserData),
});
export const retentionRouter = router({
  get: query(getRetention),
  preview: query(previewRetention),
  update: mutation(updateRetention),
});
export const storageRouter = router({ get: query(getStorage), measure: mutation(requestStorageMeasurement) });
export const backupsRouter = router({ list: query(listBackups) });
