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
import { get, patch, post, project, under } from "../row";

export const DATA = {
  retention: under("Retention and deletion", {
    get: get(`${project}/retention`, getRetention),
    update: patch(`${project}/retention`, updateRetention),
    preview: get(`${project}/retention-preview`, previewRetention),
  }),
  deletions: under("Retention and deletion", {
    preview: get(`${project}/deletion-preview`, previewDeletion),
    previewConversation: get(`${project}/conversations/:conversationId/deletion-preview`, previewConversationDeletion),
    list: get(`${project}/deletions`, listDeletions),
    create: post(`${project}/deletions`, deleteUserData, 202),
    get: get(`${project}/deletions/:deletionId`, getDeletion),
  }),
  storage: under("Retention and deletion", {
    get: get(`${project}/storage`, getStorage),
    measure: post(`${project}/storage-measurements`, requestStorageMeasurement, 202),
  }),
  backups: under("Retention and deletion", {
    list: get(`${project}/backups`, listBackups),
  }),
};
