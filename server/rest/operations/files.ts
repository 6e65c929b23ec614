import {
  beginUpload,
  continueUpload,
  deleteFile,
  downloadFile,
  finishUpload,
  getFile,
  listFiles,
  uploadFile,
} from "@/server/services/files";
import { about, get, patch, post, project, remove } from "./line";

const file = `${project}/files/:fileId`;

export const FILES = about("Files", [
  get(`${project}/files`, listFiles),
  post(`${project}/files`, uploadFile, 201),
  post(`${project}/file-uploads`, beginUpload, 201),
  get(file, getFile),
  remove(file, deleteFile),
  get(`${file}/content`, downloadFile),
  patch(`${file}/content`, continueUpload),
  post(`${file}/completion`, finishUpload),
]);
