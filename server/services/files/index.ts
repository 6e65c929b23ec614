import "server-only";

export { cleanFiles, cleanFilesOfNoProject } from "./clean-files";
export { deleteFile } from "./delete-file";
export { eraseFilesBefore, eraseProjectFiles } from "./erase-files";
export { downloadFile, getFile, listFiles } from "./read-files";
export { beginUpload, continueUpload, finishUpload } from "./resume-upload";
export { uploadFile } from "./upload-file";
