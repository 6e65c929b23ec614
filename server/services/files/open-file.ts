import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { fileStore, isMissing } from "@/server/platform/files";
import { objectKey, readFile } from "./rows";

/** A stored file with random access. */
export type OpenFile = {
  name: string;
  /** Bytes. */
  size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

/** Opens a stored file for reading; throws `not_found`, also later when it is deleted, and `conflict` for an unfinished upload. */
export async function openFile(ctx: Ctx, fileId: string): Promise<OpenFile> {
  const { state, bytes, object, name } = await readFile(ctx, fileId);
  if (state !== "stored" || bytes === null || object === null) {
    throw new ServiceError("conflict", "The upload of this file is not finished.");
  }
  const key = objectKey(ctx.projectId, object);
  return {
    name,
    size: bytes,
    async read(start, end) {
      if (end <= start) return new Uint8Array();
      const parts: Uint8Array[] = [];
      try {
        for await (const part of await fileStore().read(key, { start, end: end - 1 })) parts.push(part as Uint8Array);
      } catch (error) {
        if (isMissing(error)) throw new ServiceError("not_found", "The file was deleted while it was being read.");
        throw error;
      }
      return Buffer.concat(parts);
    },
  };
}
