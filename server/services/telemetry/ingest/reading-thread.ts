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
 * `malformed`: why the body cannot be read. It is not thrown, because a subclass of `Error` would lose its class between
 * threads.
 */
export type ReadOutcome<Signal extends keyof Signals> = { read: Packed<Signals[Signal]> } | { malformed: string };

export const READERS = { traces: readTraces, logs: readLogs };

/** Reads and prepares one request. Entry point of the threads that `read-request.ts` starts; uses no database. */
export default function readInThread({
  signal,
  request,
  preparation,
}: ReadTask<keyof Signals>): ReadOutcome<keyof Signals> {
  try {
    const { content, ...read } = READERS[signal](request, preparation);
    return { read: { ...read, content: { parts: packTexts(content.parts), chunks: content.chunks } } };
  } catch (error) {
    if (error instanceof MalformedBody) return { malformed: error.message };
    throw error;
  }
}
