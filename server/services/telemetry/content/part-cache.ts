import { LRUCache } from "lru-cache";
import { SharedItem } from "../otlp/shared-items";
import type { ContentId } from "./content-ids";

const BYTES_MAX = 64 * 2 ** 20;
/** Parts contain words of conversations, so they are dropped when unused for this long. */
const UNUSED_MS = 2 * 60 * 1000;
const PURGE_MS = 30 * 1000;

/**
 * Recently loaded parts, so that only the new parts of a growing history are loaded and read. An id is a hash of the project
 * and the text, so a part is never out of date.
 */
const cache = new LRUCache<ContentId, SharedItem>({
  maxSize: BYTES_MAX,
  sizeCalculation: (part) => part.bytes,
  ttl: UNUSED_MS,
  updateAgeOnGet: true,
});
setInterval(() => cache.purgeStale(), PURGE_MS).unref();

/**
 * Parts that are still referenced, for example by readings of conversations. When many conversations grow in turn, each finds
 * its own parts here, however many the others need.
 */
const held = new Map<ContentId, WeakRef<SharedItem>>();
const dropped = new FinalizationRegistry<ContentId>((id) => {
  if (held.get(id)?.deref() === undefined) held.delete(id);
});

export const cachedPart = (id: ContentId): SharedItem | undefined => cache.get(id) ?? held.get(id)?.deref();

/** Caches a part unless it is already cached: what was read from the cached one is worth keeping. */
export function cachePart(id: ContentId, text: string): SharedItem {
  const cached = cachedPart(id);
  if (cached) return cached;
  const part = new SharedItem(text);
  cache.set(id, part);
  held.set(id, new WeakRef(part));
  dropped.register(part, id);
  return part;
}

const CHUNKS_MAX = 20_000;
/** The parts of chunks, cached equally long: chunk ids are hashes of these. */
const chunks = new LRUCache<ContentId, readonly ContentId[]>({ max: CHUNKS_MAX, ttl: UNUSED_MS, updateAgeOnGet: true });

export const cachedChunk = (id: ContentId): readonly ContentId[] | undefined => chunks.get(id);
export const cacheChunk = (id: ContentId, partIds: readonly ContentId[]) => void chunks.set(id, partIds);

/** Drops all parts cached by this process, when some are being erased. */
export function forgetParts(): void {
  cache.clear();
  held.clear();
}
