import { LRUCache } from "lru-cache";
import type { ContentId } from "../content/content-ids";
import { type PackedTexts, packTexts } from "../content/packed-texts";
import { MalformedBody } from "../otlp";
import {
  type Preparation,
  type PreparedLogs,
  type PreparedTraces,
  type Request,
  readLogs,
  readTraces,
} from "./prepare-batch";

/** The prepared batch for each signal. */
export type Signals = { traces: PreparedTraces; logs: PreparedLogs };
export type ReadTask<Signal extends keyof Signals> = { signal: Signal; request: Request; preparation: Preparation };

type Chunks = PreparedTraces["content"]["chunks"];
/** A prepared batch as plain data. */
type Packed<Batch> = Omit<Batch, "content"> & { content: { parts: PackedTexts; chunks: Chunks } };
/**
 * `malformed`: why the body cannot be read; `error`: what was thrown instead. They are not thrown, because a subclass of
 * `Error` would lose its class between threads, and only the end of a thread rejects.
 */
export type ReadOutcome<Signal extends keyof Signals> =
  | { read: Packed<Signals[Signal]> }
  | { malformed: string }
  | { error: unknown };

export const READERS = { traces: readTraces, logs: readLogs };

/** Covers some 500 long sessions of agents. An id takes about 200 bytes. */
const SEEN_MAX = 100_000;
/** Parts of earlier requests. They are stored by now, unless that failed or they have been deleted since. */
const seen = new LRUCache<ContentId, true>({ max: SEEN_MAX });

/** Returns the parts that no earlier request contained, and remembers them. */
function takeUnseen(parts: ReadonlyMap<ContentId, string>): ReadonlyMap<ContentId, string> {
  const found = new Map<ContentId, string>();
  for (const [id, text] of parts) {
    if (!seen.get(id)) found.set(id, text);
    seen.set(id, true);
  }
  return found;
}

/**
 * Reads and prepares one request. Entry point of the threads that `read-request.ts` starts; uses no database. Most parts of a
 * history come from earlier requests: unless `withAllTexts` is set, their texts are left out.
 */
export default function readInThread({
  signal,
  request,
  preparation,
  withAllTexts,
}: ReadTask<keyof Signals> & { withAllTexts: boolean }): ReadOutcome<keyof Signals> {
  try {
    const { content, ...read } = READERS[signal](request, preparation);
    const parts = packTexts(withAllTexts ? content.parts : takeUnseen(content.parts));
    return { read: { ...read, content: { parts, chunks: content.chunks } } };
  } catch (error) {
    return error instanceof MalformedBody ? { malformed: error.message } : { error };
  }
}
