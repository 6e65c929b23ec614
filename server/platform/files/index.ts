import path from "node:path";
import { env } from "@/env";
import { parseFilesUrl } from "./files-url";
import { folderStore } from "./folder-store";
import { s3Store } from "./s3-store";
import type { FileStore } from "./store";

export { type ByteRange, type FileStore, isMissing, type StoredObject } from "./store";

let opened: FileStore | undefined;

/** Returns the store of this installation: the bucket of FILES_URL, or a folder under DATA_DIR. */
export function fileStore(): FileStore {
  const { FILES_URL, DATA_DIR } = env();
  opened ??= FILES_URL === undefined ? folderStore(path.resolve(DATA_DIR, "files")) : s3Store(parseFilesUrl(FILES_URL));
  return opened;
}
