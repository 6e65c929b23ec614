import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ServiceError } from "../errors";
import { type FileStore, isMissing, type StoredObject, undefinedIfMissing } from "./store";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const READ_BYTES = 256 * 1024;

/** Runs what writes. A full disk is reported as such: it may show when a folder or a name is added, as well as in the content. */
async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    const message = "There is no room left for files on this installation's disk.";
    throw new ServiceError("unavailable", message, { cause: error });
  }
}

async function onHandle<T>(file: string, flags: string, work: (handle: FileHandle) => Promise<T>) {
  const handle = await open(file, flags, PRIVATE_FILE);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** A rename survives a power loss only once its folder is synced. */
const syncFolder = (folder: string) => onHandle(folder, "r", (handle) => handle.sync());

async function writeAll(handle: FileHandle, chunk: Uint8Array) {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
}

/** Returns a file store in a local folder. */
export function folderStore(root: string): FileStore {
  const at = (key: string) => {
    const file = path.join(root, key);
    if (!file.startsWith(root + path.sep)) throw new Error(`${key} points outside the file store.`);
    return file;
  };

  async function ready(key: string) {
    const file = at(key);
    await mkdir(path.dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    return file;
  }

  async function* list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = await opendir(at(prefix)).catch(undefinedIfMissing);
    if (!folder) return;
    for await (const entry of folder) {
      if (entry.isDirectory()) yield* list(`${prefix}${entry.name}/`);
      const key = `${prefix}${entry.name}`;
      const found = entry.isFile() ? await find(key) : undefined;
      if (found) yield found;
    }
  }

  async function find(key: string) {
    const found = await stat(at(key)).catch(undefinedIfMissing);
    return found?.isFile() ? { key, bytes: found.size, modifiedAt: Math.round(found.mtimeMs) } : undefined;
  }

  return {
    kind: "folder",
    find,
    list,
    offset: async (upload) => (await find(upload))?.bytes ?? 0,
    append: (upload, chunks) =>
      writing(async () =>
        onHandle(await ready(upload), "a", async (handle) => {
          try {
            for await (const chunk of chunks) await writeAll(handle, chunk);
          } catch (error) {
            // What has arrived is kept. The first error says why no more has.
            await handle.datasync().catch(() => {});
            throw error;
          }
          await handle.datasync();
        }),
      ),
    complete: (upload) =>
      writing(async () => {
        const file = await ready(upload);
        await onHandle(file, "a", (handle) => handle.sync());
        await syncFolder(path.dirname(file));
      }),
    move: (upload, key) =>
      writing(async () => {
        const file = await ready(key);
        await rename(at(upload), file).catch(async (error) => {
          if (!isMissing(error) || !(await find(key))) throw error;
        });
        await syncFolder(path.dirname(file));
      }),
    abandon: (upload) => rm(at(upload), { force: true }),
    async read(key, range) {
      const handle = await open(at(key), "r");
      return createReadStream("", { fd: handle, highWaterMark: READ_BYTES, ...range });
    },
    async *projects() {
      const folder = await opendir(root).catch(undefinedIfMissing);
      for await (const entry of folder ?? []) if (entry.isDirectory()) yield entry.name;
    },
    async remove(key) {
      await rm(at(key), { force: true });
    },
    removeProject: (project) => rm(at(project), { recursive: true, force: true }),
  };
}
