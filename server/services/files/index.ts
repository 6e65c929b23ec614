import "server-only";

export { cleanFiles, cleanFilesOfNoProject } from "./clean-files";
export { deleteFile } from "./delete-file";
export { eraseFilesBefore, eraseMarkedFiles, eraseProjectFiles, markContentForErasure } from "./erase-files";
export { type OpenFile, openFile } from "./open-file";
export { parseRange } from "./parse-range";
export { downloadFile, getFile, listFiles } from "./read-files";
export { beginUpload, continueUpload, finishUpload } from "./resume-upload";
export { type Stored, storeFile } from "./store-file";
export { uploadFile } from "./upload-file";
