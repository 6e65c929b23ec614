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
import { about, get, patch, post, project } from "./line";

export const DATA = about("Retention and deletion", [
  get(`${project}/retention`, getRetention),
  patch(`${project}/retention`, updateRetention),
  get(`${project}/retention-preview`, previewRetention),
  get(`${project}/deletion-preview`, previewDeletion),
  get(`${project}/conversations/:conversationId/deletion-preview`, previewConversationDeletion),
  get(`${project}/deletions`, listDeletions),
  post(`${project}/deletions`, deleteUserData, 202),
  get(`${project}/deletions/:deletionId`, getDeletion),
  get(`${project}/storage`, getStorage),
  post(`${project}/storage-measurements`, requestStorageMeasurement, 202),
  get(`${project}/backups`, listBackups),
]);
