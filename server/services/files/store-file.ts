import type { Ctx } from "@/server/platform/context";
import { fileStore } from "@/server/platform/files";
import { discard } from "./erase-files";
import { type FileRow, uploadKey } from "./rows";
import { type Digest, digesting, storeContent } from "./store-content";
import { beginHeld, whileHeld } from "./writers";

export type Stored = Digest & { fileId: string };

/**
 * Stores a file that we wrote ourselves. `commit` runs in a separate transaction and calls `work`, which marks the file as
 * stored: so the record of whose file it is exists exactly when the file does. If it does not call `work`, the content is
 * discarded.
 */
export async function storeFile<T>(
  ctx: Ctx,
  {
    chunks,
    ...file
  }: Pick<FileRow, "kind" | "name" | "mediaType"> & {
    chunks: AsyncIterable<Uint8Array>;
  },
  commit: (stored: Stored, work: (tx: Ctx) => Promise<void>) => Promise<T>,
): Promise<T> {
  const held = await beginHeld(ctx, { ...file, resumable: false });
  let isStored = false;
  try {
    return await whileHeld(ctx, held, async () => {
      const { chunks: read, digest } = digesting(chunks);
      await fileStore().append(uploadKey(held), read);
      await fileStore().complete(uploadKey(held));
      const found = digest();
      let result: T | undefined;
      await storeContent(ctx, held, found, async (work) => {
        result = await commit({ ...found, fileId: held.id }, async (tx) => {
          await work(tx);
          isStored = true;
        });
        return undefined as Awaited<ReturnType<typeof work>>;
      });
      return result as T;
    });
  } finally {
    if (!isStored) await discard(ctx, held.id);
  }
}
