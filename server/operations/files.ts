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
import { get, patch, post, project, remove, under } from "./row";

const file = `${project}/files/:fileId`;

export const FILES = {
  files: under("Files", {
    list: get(`${project}/files`, listFiles),
    upload: post(`${project}/files`, uploadFile, 201),
    beginUpload: post(`${project}/file-uploads`, beginUpload, 201),
    get: get(file, getFile),
    delete: remove(file, deleteFile),
    download: get(`${file}/content`, downloadFile),
    continueUpload: patch(`${file}/content`, continueUpload),
    finishUpload: post(`${file}/completion`, finishUpload),
  }),
};
