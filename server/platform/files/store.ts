import type { Readable } from "node:stream";

/** Bytes from `start` to `end`, inclusive. */
export type ByteRange = { start: number; end: number };
export type StoredObject = { key: string; bytes: number; modifiedAt: number };

/**
 * Stores objects by key (`<project>/…`). An object is written once, as a growing upload that is moved to its key when complete:
 * a partial object is never readable under it.
 */
export type FileStore = {
  kind: "folder" | "s3";
  /** Returns the number of bytes durably stored of an upload: the offset to resume at. */
  offset(upload: string): Promise<number>;
  /** Appends to an upload with backpressure. If the chunks end early, what was received is kept. */
  append(upload: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes an upload an object under its own key, which can be read and moved. Idempotent. */
  complete(upload: string): Promise<void>;
  /** Moves a complete upload to its key. Idempotent. */
  move(upload: string, key: string): Promise<void>;
  /** Removes an upload with all its parts, complete or not. */
  abandon(upload: string): Promise<void>;
  find(key: string): Promise<StoredObject | undefined>;
  /** Throws an error that satisfies `isMissing` if there is no such object. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Lists objects under a prefix that ends in `/`, including uploads in progress. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Lists the first segments of all keys: the projects. */
  projects(): AsyncIterable<string>;
  remove(key: string): Promise<void>;
  /** Removes all objects and uploads of a project. */
  removeProject(project: string): Promise<void>;
};

/** Returns whether the error means that the object does not exist. */
export const isMissing = (error: unknown) => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return code === "ENOENT" || name === "NoSuchKey" || name === "NotFound";
};

/** For `catch`: returns `undefined` if the object does not exist, else rethrows. */
export const undefinedIfMissing = (error: unknown) => {
  if (isMissing(error)) return undefined;
  throw error;
};
