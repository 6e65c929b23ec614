import { listBackups } from "@/server/services/backups";
import {
  deleteUserData,
  getDeletion,
  listDeletions,
  previewConversationDeletion,
  previewDeletion,
} from "@/server/services/deletion";
import { getRetention, previewRetention, updateRetention } from "@/server/services/retention";
import { getStorage, requestStorageMeasurement } from "@/server/services/stored-sizes";
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
