import type { Readable } from "node:stream";

/** Bytes from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number };
export type StoredObject = { key: string; bytes: number; modifiedAt: number };

/**
 * Where files lie: names (`<project>/…`) with bytes. An object is written once, as an upload that grows until it is
 * complete, and moved to its name whole: nobody ever reads half of one under it.
 */
export type FileStore = {
  kind: "folder" | "s3";
  /** Returns how many bytes of an upload are safe: where whoever was interrupted goes on. */
  offset(upload: string): Promise<number>;
  /** Adds to an upload as fast as the store takes it. What came before the chunks broke off is kept. */
  append(upload: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes an upload an object under its own name, which can then be read and moved. May be repeated. */
  complete(upload: string): Promise<void>;
  /** Gives a complete upload its name. May be repeated. */
  move(upload: string, key: string): Promise<void>;
  /** Removes an upload with all that has come of it, complete or not. */
  abandon(upload: string): Promise<void>;
  find(key: string): Promise<StoredObject | undefined>;
  /** Throws an error of `isMissing` where there is none. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Lists what lies under a prefix that ends in `/`, uploads in progress included. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Lists the first parts of all names: the projects. */
  projects(): AsyncIterable<string>;
  remove(key: string): Promise<void>;
  /** Removes everything of a project. */
  removeProject(project: string): Promise<void>;
};

/** Whether it was asked for an object that is not there. */
export const isMissing = (error: unknown) => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return code === "ENOENT" || name === "NoSuchKey" || name === "NotFound";
};
